/** Tests of choosing words by their scores. */
@NullMarked
package dev.millrace.providers.search;

import org.jspecify.annotations.NullMarked;
