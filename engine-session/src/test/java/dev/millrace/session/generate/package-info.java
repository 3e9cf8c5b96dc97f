/** Tests of text generation with small models whose answers are known. */
@NullMarked
package dev.millrace.session.generate;

import org.jspecify.annotations.NullMarked;
