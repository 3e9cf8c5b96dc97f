package dev.millrace.scheduler.kernel;

import dev.millrace.scheduler.device.DeviceRange;
import dev.millrace.scheduler.device.DeviceStream;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The memory of one launch. Types and shapes are known since {@link ShapedKernel#bind}, so this context has only the
 * memory. Inputs are read. Outputs have undefined content and are written completely. Arguments that lie on the host are
 * segments; those that lie on a device that works on its own are ranges of its buffers, and the launch gives its work to
 * {@link #stream()}.
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

    /**
     * The stream that the work is given to.
     *
     * @throws UnsupportedOperationException on the host, whose launches work on the calling thread
     */
    default DeviceStream stream() {
        throw new UnsupportedOperationException("the host has no streams");
    }

    /** The device memory of an input that {@link Kernel#inputPlace} places on the device; a value without elements has none. */
    default DeviceRange inputRange(int index) {
        throw new UnsupportedOperationException("input " + index + " lies on the host");
    }

    /** The device memory of an output that {@link Kernel#outputPlace} places on the device. */
    default DeviceRange outputRange(int index) {
        throw new UnsupportedOperationException("output " + index + " lies on the host");
    }

    /** The device memory that was requested with {@link BindContext#workspace}. */
    default DeviceRange workspaceRange() {
        throw new UnsupportedOperationException("the workspace lies on the host");
    }

    /** The listener to the pieces of work inside of the launch, or null without one. */
    default Work.@Nullable Listener listener() {
        return null;
    }
}
