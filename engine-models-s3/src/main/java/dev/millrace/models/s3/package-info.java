/** Models by name from S3. The service loader finds this package's class; programs need not name it. */
@NullMarked
package dev.millrace.models.s3;

import org.jspecify.annotations.NullMarked;
