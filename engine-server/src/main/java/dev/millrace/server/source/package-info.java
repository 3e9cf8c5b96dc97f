/** Sources of models other than folders. */
@NullMarked
package dev.millrace.server.source;

import org.jspecify.annotations.NullMarked;
