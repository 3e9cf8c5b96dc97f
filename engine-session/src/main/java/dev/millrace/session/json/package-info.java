/** A reader of JSON for manifests, tokenizers and configurations of models. */
@NullMarked
package dev.millrace.session.json;

import org.jspecify.annotations.NullMarked;
