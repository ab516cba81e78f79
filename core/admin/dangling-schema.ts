import { closed, id, orNull, type schema, text } from '../http/openapi-shapes.ts';

/** A reference that readers cannot follow. @param from the variant that has it */
export const danglingSchema = (from: ReturnType<typeof schema>, description: string) =>
  closed(
    {
      from,
      to: closed(
        {
          kind: { enum: ['item', 'asset'], description: 'What it refers to.' },
          id: id('Its id.'),
          name: orNull(text('Its name, if the person may see it.')),
          codename: orNull(text('Its codename, if it has one and the person may see it.')),
        },
        'What it refers to.',
      ),
      reason: {
        enum: ['missing', 'archived', 'unpublished'],
        description: 'Why readers cannot get it.',
      },
    },
    description,
  );
