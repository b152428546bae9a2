/** How one field of a message is read: under which name, and as what. */
export interface Field {
  readonly name: string;
  readonly type: 'string' | 'bytes' | 'integer' | 'boolean' | 'texts' | 'bytes-map' | Message;
  readonly repeated?: true;
}

/** Fields by their number. Others are passed over. */
export type Message = ReadonlyMap<number, Field>;

type Short = readonly [number, string, Field['type'], 'many'?];

function message(...fields: readonly Short[]): Message {
  return new Map(
    fields.map(([number, name, type, many]) => [
      number,
      { name, type, ...(many === undefined ? {} : { repeated: true }) },
    ]),
  );
}

const ownerReference = message(
  [1, 'kind', 'string'],
  [3, 'name', 'string'],
  [4, 'uid', 'string'],
  [5, 'apiVersion', 'string'],
  [6, 'controller', 'boolean'],
  [7, 'blockOwnerDeletion', 'boolean'],
);

const metadata = message(
  [1, 'name', 'string'],
  [2, 'generateName', 'string'],
  [3, 'namespace', 'string'],
  [5, 'uid', 'string'],
  [6, 'resourceVersion', 'string'],
  [11, 'labels', 'texts'],
  [12, 'annotations', 'texts'],
  [13, 'ownerReferences', ownerReference, 'many'],
  [14, 'finalizers', 'string', 'many'],
);

const policyRule = message(
  [1, 'verbs', 'string', 'many'],
  [2, 'apiGroups', 'string', 'many'],
  [3, 'resources', 'string', 'many'],
  [4, 'resourceNames', 'string', 'many'],
  [5, 'nonResourceURLs', 'string', 'many'],
);
const role = message([1, 'metadata', metadata], [2, 'rules', policyRule, 'many']);

const subject = message(
  [1, 'kind', 'string'],
  [2, 'apiGroup', 'string'],
  [3, 'name', 'string'],
  [4, 'namespace', 'string'],
);
const roleRef = message([1, 'apiGroup', 'string'], [2, 'kind', 'string'], [3, 'name', 'string']);
const binding = message([1, 'metadata', metadata], [2, 'subjects', subject, 'many'], [3, 'roleRef', roleRef]);

const resourceAttributes = message(
  [1, 'namespace', 'string'],
  [2, 'verb', 'string'],
  [3, 'group', 'string'],
  [4, 'version', 'string'],
  [5, 'resource', 'string'],
  [6, 'subresource', 'string'],
  [7, 'name', 'string'],
);
const nonResourceAttributes = message([1, 'path', 'string'], [2, 'verb', 'string']);
const selfAccess = message(
  [1, 'resourceAttributes', resourceAttributes],
  [2, 'nonResourceAttributes', nonResourceAttributes],
);
const boundObject = message(
  [1, 'kind', 'string'],
  [2, 'apiVersion', 'string'],
  [3, 'name', 'string'],
  [4, 'uid', 'string'],
);
const tokenRequest = message(
  [1, 'audiences', 'string', 'many'],
  [3, 'boundObjectRef', boundObject],
  [4, 'expirationSeconds', 'integer'],
);
const preconditions = message([1, 'uid', 'string'], [2, 'resourceVersion', 'string']);

/** The few kinds that `kubectl create` and `kubectl auth` send in no other form. Numbers are those of Kubernetes' API. */
export const MESSAGES: Readonly<Record<string, Message>> = {
  Namespace: message([1, 'metadata', metadata]),
  Secret: message(
    [1, 'metadata', metadata],
    [2, 'data', 'bytes-map'],
    [3, 'type', 'string'],
    [4, 'stringData', 'texts'],
    [5, 'immutable', 'boolean'],
  ),
  ConfigMap: message(
    [1, 'metadata', metadata],
    [2, 'data', 'texts'],
    [3, 'binaryData', 'bytes-map'],
    [4, 'immutable', 'boolean'],
  ),
  ServiceAccount: message([1, 'metadata', metadata]),
  Role: role,
  ClusterRole: role,
  RoleBinding: binding,
  ClusterRoleBinding: binding,
  SelfSubjectAccessReview: message([1, 'metadata', metadata], [2, 'spec', selfAccess]),
  SelfSubjectReview: message([1, 'metadata', metadata]),
  TokenRequest: message([1, 'metadata', metadata], [2, 'spec', tokenRequest]),
  DeleteOptions: message(
    [1, 'gracePeriodSeconds', 'integer'],
    [2, 'preconditions', preconditions],
    [3, 'orphanDependents', 'boolean'],
    [4, 'propagationPolicy', 'string'],
    [5, 'dryRun', 'string', 'many'],
  ),
};
