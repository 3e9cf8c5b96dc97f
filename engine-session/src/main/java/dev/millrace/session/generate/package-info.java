/** Text generation with language models, token by token. */
@NullMarked
package dev.millrace.session.generate;

import org.jspecify.annotations.NullMarked;
