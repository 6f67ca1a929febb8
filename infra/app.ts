import { createApp } from './createApp.ts';
import { ParameterError } from './parameters.ts';

try {
  createApp().synth();
} catch (error) {
  if (!(error instanceof ParameterError)) throw error;
  console.error(error.message);
  process.exit(1);
}
