import { KubeError } from '../kubernetes/errors.ts';

/** What a person does about a failure; `null` where the message says it itself. */
export function adviceFor(error: unknown): string | null {
  if (!(error instanceof KubeError)) return null;
  switch (error.status) {
    case 401:
      return 'log in again, or choose another user with --context';
    case 403:
      return 'ask for this right, or choose another user with --context';
    case 404:
      return 'check --namespace and --context; keyturn crds prints what a hub needs';
    case 409:
      return 'somebody else changed it meanwhile, so run the command again';
    case undefined:
      return error.reason === 'CredentialsFailed'
        ? 'check the user of the kubeconfig'
        : 'check --kubeconfig and --context, and whether the API server answers';
    default:
      return error.status >= 500 ? 'the API server is in trouble, so try again' : null;
  }
}
