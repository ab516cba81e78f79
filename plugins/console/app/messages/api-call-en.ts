/** Texts of the dialog that shows API calls. */
export const apiCallEn = {
  button: 'As an API call …',
  title: 'As an API call',
  api: 'API',
  apis: {
    delivery: 'Delivery: what is published',
    preview: 'Preview: the latest versions',
    manage: 'Management',
    admin: 'Admin',
  },
  form: 'Form',
  forms: { curl: 'curl', fetch: 'fetch', client: 'Published client' },
  run: 'Execute here',
  running: 'The request is on its way …',
  took: (status: number, milliseconds: number) => `Answer ${status} in ${milliseconds} ms`,
  executedAs: 'It is executed with your rights, without a key.',
  docs: 'Reference of all calls',
  close: 'Close',
};
