import { App } from 'aws-cdk-lib';
import { checkRules } from './nag.ts';
import { readParameters } from './parameters.ts';
import { ConchStack } from './stack.ts';

/**
 * The CDK app with one stack, named by the context's `stackName`, else `Conch`.
 * @param options a test's own context and output folder.
 * @throws {ParameterError} if a parameter is missing or wrong.
 */
export function createApp(options: { context?: Record<string, unknown>; outdir?: string } = {}): App {
  const app = new App({ analyticsReporting: false, ...options });
  const parameters = readParameters((name) => app.node.tryGetContext(name));
  new ConchStack(app, String(app.node.tryGetContext('stackName') ?? 'Conch'), parameters);
  checkRules(app);
  return app;
}
