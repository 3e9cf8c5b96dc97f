/** Open engines, models and sessions: their creation, their runs, their health and their end. */
@NullMarked
package dev.millrace.session.runtime;

import org.jspecify.annotations.NullMarked;
