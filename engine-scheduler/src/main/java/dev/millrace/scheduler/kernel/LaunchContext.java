package dev.millrace.scheduler.kernel;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The memory of one launch. Types and shapes are known since {@link ShapedKernel#bind}; here is only where the bytes
 * are. Inputs are read, outputs are written whole: what they hold before is garbage.
 */
public interface LaunchContext extends RunContext {
    MemorySegment input(int index);

    MemorySegment output(int index);

    /** The strings of a string tensor. */
    String[] inputStrings(int index);

    /** The strings to fill in of a string tensor. */
    String[] outputStrings(int index);

    /** The memory asked for with {@link BindContext#workspace}. */
    MemorySegment workspace();

    /** Who wants to hear of the pieces of work inside of the launch, or null where nobody does. */
    default Work.@Nullable Listener listener() {
        return null;
    }
}
