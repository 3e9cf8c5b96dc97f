/** OpenAI's endpoints. */
@NullMarked
package dev.millrace.server.openai;

import org.jspecify.annotations.NullMarked;
