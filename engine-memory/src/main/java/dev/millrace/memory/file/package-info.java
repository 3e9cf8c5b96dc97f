/** Creation and checks of files and folders that only this user can write. */
@NullMarked
package dev.millrace.memory.file;

import org.jspecify.annotations.NullMarked;
