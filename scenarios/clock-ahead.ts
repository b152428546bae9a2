/** Loaded before a program: its wall clock is ahead by `KEYTURN_CLOCK_AHEAD_MS`, as on a machine whose clock was set wrong. */
const aheadMs = Number(process.env['KEYTURN_CLOCK_AHEAD_MS'] ?? 0);
const RealDate = Date;
const now = (): number => RealDate.now() + aheadMs;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args: readonly unknown[], asked) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, asked),
  apply: () => new RealDate(now()).toString(),
  get: (target, property, receiver) => (property === 'now' ? now : Reflect.get(target, property, receiver)),
});
