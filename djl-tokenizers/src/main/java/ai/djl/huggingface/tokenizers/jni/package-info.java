/** Types of the API that DJL keeps beside its native library. Here is none. */
@NullMarked
package ai.djl.huggingface.tokenizers.jni;

import org.jspecify.annotations.NullMarked;
