/** Model repositories: folders, versions, and their loading and replacement. */
@NullMarked
package dev.millrace.server.repository;

import org.jspecify.annotations.NullMarked;
