import { bedrockEngine } from '../../lib/providers/bedrock.ts';
import { apiEngineContract } from '../contracts/engine.ts';
import { engineToolsContract } from '../contracts/engineTools.ts';

apiEngineContract({
  protocol: 'bedrock',
  open: bedrockEngine,
  overloadedEvent: { message: 'The system encountered an unexpected error during processing. Try again.' },
  faults: [
    {
      case: 'no access to the model',
      status: 403,
      body: { message: "You don't have access to the model with the specified model ID." },
      fault: 'unauthorized',
    },
    {
      case: 'throttling',
      status: 429,
      body: { message: 'Too many tokens, please wait before trying again.' },
      fault: 'rate-limited',
    },
    {
      case: 'a context too long',
      status: 400,
      body: { message: 'Input is too long for requested model.' },
      fault: 'too-long',
    },
    {
      case: 'no such model',
      status: 400,
      body: { message: 'The provided model identifier is invalid.' },
      fault: 'unknown-model',
    },
  ],
});
engineToolsContract('bedrock', 'us.anthropic.claude-sonnet-5-5', bedrockEngine);
