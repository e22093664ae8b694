// What is known of the connectors: the last answers, and the last minutes of a few numbers of each.

const KEPT = 300;  // samples of two seconds: ten minutes

const histories = new Map();

// The rate between this sample and one about ten seconds before. A counter that fell began anew.
function rateOf(samples, key) {
  const last = samples[samples.length - 1];
  const first = samples[Math.max(0, samples.length - 6)];
  const seconds = (last.at - first.at) / 1000;
  if (seconds <= 0 || last[key] < first[key]) return null;
  return (last[key] - first[key]) / seconds;
}

export function remember(status) {
  const at = Date.parse(status.now);
  const names = new Set(status.connectors.map((one) => one.name));
  for (const name of histories.keys()) if (!names.has(name)) histories.delete(name);
  for (const one of status.connectors) {
    const samples = histories.get(one.name) ?? [];
    const last = samples[samples.length - 1];
    if (last && at <= last.at) continue;
    samples.push({at, records: one.records, bytes: one.bytes, lag: one.lag_bytes ?? null, rate: null});
    samples[samples.length - 1].rate = rateOf(samples, 'records');
    samples[samples.length - 1].flow = rateOf(samples, 'bytes');
    if (samples.length > KEPT) samples.shift();
    histories.set(one.name, samples);
  }
}

export const samplesOf = (name) => histories.get(name) ?? [];
export const latest = (name) => samplesOf(name).at(-1) ?? {rate: null, flow: null};

// A word and how bad it is: what an operator looks for first.
export function verdict(one) {
  if (one.state === 'FAILED') return ['FAILED', 'bad'];
  const wal = one.slot?.wal_status;
  if (wal === 'lost' || wal === 'unreserved' || wal === 'missing') return [`slot ${wal}`, 'bad'];
  if (one.slot?.seconds_until_lost < 3600) return ['slot at risk', 'bad'];
  if (one.capture?.problems.some((problem) => problem.severity === 'warning')) return ['tables not captured', 'bad'];
  if (one.stall) return ['STALLED', 'warn'];
  if (one.state === 'PAUSED' || one.state === 'STOPPED') return [one.state, 'none'];
  return [one.state, one.state === 'RUNNING' ? 'good' : 'warn'];
}

// Connectors of Connect's list that have no task here: stopped ones, and those of other classes.
export function idle(known, running, resting = []) {
  const names = new Set(running.map((one) => one.name));
  return Object.entries(known)
    .filter(([name]) => !names.has(name))
    .map(([name, {status}]) => {
      const {slot, lag_seconds} = resting.find((one) => one.name === name) ?? {};
      return {name, state: status.connector.state, error: status.connector.trace, slot, lag_seconds};
    });
}
