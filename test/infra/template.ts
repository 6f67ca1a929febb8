import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../../infra/createApp.ts';

// biome-ignore lint/suspicious/noExplicitAny: a template's properties have many forms.
type Properties = any;

interface Resource {
  Type: string;
  Properties: Properties;
  DeletionPolicy?: string;
  UpdateReplacePolicy?: string;
}

export const HASH = 'ab'.repeat(32);

/** Left out of what is bundled, an app is built in no time. */
const NOT_BUNDLED = { 'aws:cdk:bundling-stacks': [] };

/** The app in a folder that goes away. */
export function temporaryApp(context: Record<string, unknown> = {}, options: { bundle?: boolean } = {}) {
  const outdir = mkdtempSync(join(tmpdir(), 'conch-synth-'));
  const whole = { adminTokenSha256: HASH, ...(options.bundle ? {} : NOT_BUNDLED), ...context };
  return {
    app: createApp({ context: whole, outdir }),
    outdir,
    remove: () => rmSync(outdir, { recursive: true, force: true }),
  };
}

/** The synthesised stack. */
export function synthesise(context: Record<string, unknown> = {}, options: { bundle?: boolean } = {}) {
  const { app, outdir, remove } = temporaryApp(context, options);
  const { template } = app.synth().getStackByName('Conch');
  return { outdir, remove, ...readTemplate(template) };
}

/** A template with ways to look into it. */
export function readTemplate(template: {
  Resources: Record<string, Resource>;
  Outputs: Record<string, { Value: unknown }>;
}) {
  const all = Object.entries(template.Resources).map(([id, resource]) => ({ id, ...resource }));
  const ofType = (type: string) => all.filter(({ Type }) => Type === `AWS::${type}`);
  const only = (type: string, matches: (id: string) => boolean = () => true) => {
    const found = ofType(type).filter(({ id }) => matches(id));
    const [one] = found;
    if (!one || found.length > 1) throw new Error(`${found.length} resources of ${type}, not one`);
    return one;
  };
  /** The function, or a part of it, by its name in `functions/`. */
  const of = (type: string, name: string) => only(type, (id) => id.toLowerCase().startsWith(name.toLowerCase()));
  return { template, all, ofType, only, of };
}
