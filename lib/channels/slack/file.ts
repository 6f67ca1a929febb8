import type { Channel, OutgoingFile, SendResult } from '../../ports/chatApp.ts';
import { postBytes } from '../shared/http.ts';
import { asObject } from '../shared/json.ts';
import { channelOf, type SlackAddress } from './address.ts';
import { type ApiOutcome, callApi, failedSend } from './api.ts';

/**
 * Sends a file: an address for its bytes, the bytes, then the file is shown (`files.upload` is retired). Before the last
 * call nobody sees anything of it, so that until then a failure is surely no message.
 */
export async function sendFile(
  channel: Channel,
  to: SlackAddress,
  file: OutgoingFile,
  signal: AbortSignal,
): Promise<SendResult> {
  const opened = await openChannel(channel, to, signal);
  if (opened.kind !== 'ok') return notShown(opened);
  const begun = await callApi(channel, 'files.getUploadURLExternal', beginParams(file), signal);
  if (begun.kind !== 'ok') return notShown(begun);
  const { upload_url: url, file_id: id } = begun.result;
  const uploaded = await postBytes(String(url), file.bytes, file.mimeType, signal);
  if (uploaded.kind !== 'answer' || uploaded.status !== 200) return LATER;
  const shown = await callApi(
    channel,
    'files.completeUploadExternal',
    {
      files: [{ id, title: file.name }],
      channel_id: opened.result.id,
      ...(to.thread === undefined ? {} : { thread_ts: to.thread }),
    },
    signal,
  );
  return shown.kind === 'ok' ? { kind: 'sent', id: String(id) } : failedSend(shown);
}

const LATER: SendResult = { kind: 'refused', retryAfterMs: 1_000, reason: 'the file was not taken' };

/** Form fields: this method takes no JSON. */
function beginParams({ name, bytes }: OutgoingFile): URLSearchParams {
  return new URLSearchParams({ filename: name, length: String(bytes.length) });
}

function notShown(outcome: Exclude<ApiOutcome, { kind: 'ok' }>): SendResult {
  return outcome.kind === 'unknown' ? LATER : failedSend(outcome);
}

/** A file goes to a channel's own id; that of a private chat is asked for where no message of the person told it. */
async function openChannel(channel: Channel, to: SlackAddress, signal: AbortSignal): Promise<ApiOutcome> {
  if (to.group || to.channel !== undefined) return { kind: 'ok', result: { id: channelOf(to) } };
  const outcome = await callApi(channel, 'conversations.open', { users: channelOf(to) }, signal);
  return outcome.kind === 'ok' ? { kind: 'ok', result: asObject(outcome.result.channel) } : outcome;
}
