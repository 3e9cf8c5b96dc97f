package dev.millrace.scheduler.kernel;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The memory of one launch. Types and shapes are known since {@link ShapedKernel#bind}, so this context has only the
 * memory segments. Inputs are read. Outputs have undefined content and are written completely.
 */
public interface LaunchContext extends RunServices {
    MemorySegment input(int index);

    MemorySegment output(int index);

    /** The strings of a string tensor. */
    String[] inputStrings(int index);

    /** The strings of a string tensor, which the launch sets. */
    String[] outputStrings(int index);

    /** The memory that was requested with {@link BindContext#workspace}. */
    MemorySegment workspace();

    /** The listener to the pieces of work inside of the launch, or null without one. */
    default Work.@Nullable Listener listener() {
        return null;
    }
}
