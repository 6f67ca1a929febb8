/** What is used of the package, which has no types. */
declare module 'aws4' {
  interface Request {
    service: string;
    region: string;
    method: string;
    path: string;
    headers: Record<string, string>;
    body: Uint8Array;
  }

  interface Credentials {
    accessKeyId: string;
    secretAccessKey: string;
    sessionToken?: string;
  }

  /** Adds to the headers what signs the request: for the time in `x-amz-date`, else for now. */
  function sign(request: Request, credentials: Credentials): Request;

  export default { sign };
}
