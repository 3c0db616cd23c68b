/**
 * The errors beside the fields of a form, by the fields' names. Promises: whoever begins to mend a
 * field is not told any more what was wrong with it; the other fields keep their errors.
 */
export type FieldErrors = Readonly<Record<string, string | undefined>>

/** The same object when the field had none: then nothing is drawn anew. */
export function withoutErrorOf<Errors extends FieldErrors>(errors: Errors, { target }: Event) {
  const name = target instanceof HTMLInputElement ? target.name : ''
  return errors[name] === undefined ? errors : { ...errors, [name]: undefined }
}
