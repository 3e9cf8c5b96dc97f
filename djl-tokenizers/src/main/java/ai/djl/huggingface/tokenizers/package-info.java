/** The API of DJL's tokenizers, written from its signatures, its documentation and its behaviour. */
@NullMarked
package ai.djl.huggingface.tokenizers;

import org.jspecify.annotations.NullMarked;
