/** What language models say: tokens generated one after the other. */
@NullMarked
package dev.millrace.session.generate;

import org.jspecify.annotations.NullMarked;
