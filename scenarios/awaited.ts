import { digestOf, type Held, isSignedBy, type Standing } from './standing.ts';

/** Texts of what is still missing; empty when nothing is. */
export type Awaited = readonly string[];

/** Every runtime's Secret and every endpoint holds the current root in its bundle. */
function awaitedBundles({ root, gateway, runtimes }: Standing): Awaited {
  if (root === undefined) return ['the root Secret holds no certificate'];
  const digest = digestOf(root);
  const lacks = ({ roots }: Held) => !roots.includes(digest);
  return [
    ...(lacks(gateway) ? ['the gateway Secret lacks the current root'] : []),
    ...[...runtimes]
      .filter(([, { secret }]) => lacks(secret))
      .map(([name]) => `${name}'s Secret lacks the current root`),
  ];
}

/** The rotation is proven everywhere: every client uses a pair of the current root, and every endpoint presents one. */
export function awaitedPairs(standing: Standing): Awaited {
  const { root, runtimes, endpoints } = standing;
  return [
    ...awaitedBundles(standing),
    ...[...runtimes].flatMap(([name, { secret, mounted }]) => {
      if (!isSignedBy(secret.leaf, root)) return [`${name}'s Secret has no pair of the current root`];
      return isSignedBy(mounted.leaf, root) ? [] : [`${name} has not mounted its pair of the current root`];
    }),
    ...[...endpoints]
      .filter(([, { leaf }]) => !isSignedBy(leaf, root))
      .map(([name]) => `${name} presents no server certificate of the current root`),
  ];
}

/** The rotation has come to its end: in addition, the current root alone stands in every bundle. */
export function awaitedEnd(standing: Standing): Awaited {
  const { root, gateway, runtimes, endpoints } = standing;
  const digest = root === undefined ? '' : digestOf(root);
  const extra = (what: string, { roots }: Held): Awaited =>
    roots.length === 1 && roots[0] === digest
      ? []
      : [
          `${what} holds ${roots.map((other) => other.slice(0, 8)).join(', ') || 'nothing'} and not ${digest.slice(0, 8)} alone`,
        ];
  return [
    ...awaitedPairs(standing),
    ...extra('the gateway Secret', gateway),
    ...[...runtimes].flatMap(([name, { secret, mounted, caBundle }]) => [
      ...extra(`${name}'s Secret`, secret),
      ...extra(`the folder of ${name}`, mounted),
      ...(caBundle === undefined ? [] : extra(`the caBundle of ${name}`, caBundle)),
    ]),
    ...[...endpoints].flatMap(([name, held]) => extra(name, held)),
  ];
}
