/** Settings that requests read and change while the server runs. */
@NullMarked
package dev.millrace.server.setting;

import org.jspecify.annotations.NullMarked;
