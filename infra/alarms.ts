import { Duration } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  Metric,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { Deployed } from './functions.ts';
import type { Stores } from './stores.ts';

interface Watch {
  id: string;
  /** What it means and what to look at. */
  description: string;
  metric: IMetric;
  threshold: number;
  /** How many periods in a row; default 1. */
  periods?: number;
}

const MINUTE = Duration.minutes(1);
const FIVE_MINUTES = Duration.minutes(5);
const NAMESPACE = 'Conch';
/** A hint older than this that nobody works on: replies are late. */
const OLDEST_HINT_S = 60;

/** Watches the deployment. @param topicArn where alarms are sent to; without it they only show in CloudWatch. */
export function createAlarms(scope: Construct, stores: Stores, functions: Deployed[], topicArn?: string): void {
  const action = topicArn === undefined ? undefined : new SnsAction(Topic.fromTopicArn(scope, 'AlarmTopic', topicArn));
  const watches = [...queueWatches(stores), ...functionWatches(functions), ...logWatches(scope, functions)];
  for (const { id, description, metric, threshold, periods = 1 } of watches) {
    const alarm = new Alarm(scope, id, {
      ...{ metric, threshold, alarmDescription: description, evaluationPeriods: periods },
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    if (action) alarm.addAlarmAction(action);
  }
}

function queueWatches({ hints, deadLetters }: Stores): Watch[] {
  const at = { period: MINUTE, statistic: Stats.MAXIMUM };
  // What is moved there counts as received, not as sent; the function takes it out again within seconds.
  const given = deadLetters.metricNumberOfMessagesReceived({ period: MINUTE, statistic: Stats.SUM });
  const left = deadLetters.metricApproximateNumberOfMessagesVisible(at);
  // A hint is kept during its turn, and a long turn is no fault: the age counts while hints wait.
  const age = hints.metricApproximateAgeOfOldestMessage(at);
  const waiting = hints.metricApproximateNumberOfMessagesVisible(at);
  return [
    {
      id: 'DeadLettersAlarm',
      description: 'A hint was received too often: a place fails again and again. Look for worker.failed in the logs.',
      metric: sum('given + left', { given, left }, MINUTE),
      threshold: 0,
    },
    {
      id: 'OldestHintAlarm',
      description: 'Hints wait for workers: raise workerConcurrency, or see why workers are slow.',
      metric: sum('IF(waiting > 0, age, 0)', { waiting, age }, MINUTE),
      threshold: OLDEST_HINT_S,
      periods: 3,
    },
  ];
}

function functionWatches(functions: Deployed[]): Watch[] {
  const total = (metricName: 'Errors' | 'Throttles') => {
    const metrics = functions.map(({ name, lambda }) => [
      name,
      lambda.metric(metricName, { period: FIVE_MINUTES, statistic: Stats.SUM }),
    ]);
    const names = functions.map(({ name }) => name);
    return sum(names.join(' + '), Object.fromEntries(metrics), FIVE_MINUTES);
  };
  return [
    {
      id: 'ErrorsAlarm',
      description: 'A function failed or ran out of time or memory.',
      metric: total('Errors'),
      threshold: 0,
    },
    {
      id: 'ThrottlesAlarm',
      description: 'A function was not run: its reserved concurrency or that of the account is used up.',
      metric: total('Throttles'),
      threshold: 0,
    },
  ];
}

/** What the functions' own log lines tell (`functions/runtime.ts`). */
function logWatches(scope: Construct, functions: Deployed[]): Watch[] {
  for (const { name, logs } of functions) {
    count(scope, `${name}LoggedErrors`, logs, 'LoggedErrors', FilterPattern.stringValue('$.level', '=', 'error'));
  }
  const sweeper = functions.find(({ name }) => name === 'sweeper');
  if (sweeper) {
    count(
      scope,
      'SweeperFound',
      sweeper.logs,
      'SweeperFound',
      FilterPattern.stringValue('$.what', '=', 'sweeper.found'),
    );
  }
  const logged = (metricName: string) =>
    new Metric({ namespace: NAMESPACE, metricName, period: FIVE_MINUTES, statistic: Stats.SUM });
  return [
    {
      id: 'LoggedErrorsAlarm',
      description: 'A function logged an error; its lines of the level "error" name it.',
      metric: logged('LoggedErrors'),
      threshold: 0,
    },
    {
      id: 'SweeperFoundAlarm',
      description: 'Work was found that no hint came for: webhooks die or cannot reach the queue.',
      metric: logged('SweeperFound'),
      threshold: 0,
    },
  ];
}

function count(
  scope: Construct,
  id: string,
  logGroup: Deployed['logs'],
  metricName: string,
  filterPattern: ReturnType<typeof FilterPattern.stringValue>,
): void {
  new MetricFilter(scope, id, { logGroup, filterPattern, metricNamespace: NAMESPACE, metricName, metricValue: '1' });
}

function sum(expression: string, usingMetrics: Record<string, IMetric>, period: Duration): MathExpression {
  return new MathExpression({ expression, usingMetrics, period, label: expression });
}
