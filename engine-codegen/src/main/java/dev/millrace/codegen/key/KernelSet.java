package dev.millrace.codegen.key;

import dev.millrace.codegen.code.Recording;
import dev.millrace.codegen.program.Kernel;
import dev.millrace.codegen.program.Lowering;
import dev.millrace.codegen.program.Memory;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.Target;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The kernels emitted so far, by key; emits others when they are asked for. Safe for use by several threads. */
public final class KernelSet {
    private final Lowering lowering;
    private final KernelFamilies families;
    private final ConcurrentHashMap<KernelKey, Kernel> kernels = new ConcurrentHashMap<>();

    public KernelSet(Lowering lowering, KernelFamilies families) {
        this.lowering = lowering;
        this.families = families;
    }

    public Target target() {
        return lowering.target();
    }

    /** Memory for the calls of one thread. */
    public Memory newMemory() {
        return lowering.newMemory();
    }

    /** Fresh memory for these kernels; what it holds is not said. It is freed when nobody refers to it. */
    public MemorySegment allocate(long bytes) {
        return lowering.allocate(bytes);
    }

    /** For calls of these kernels, or null where they cannot be made again by themselves. */
    public @Nullable Recording newRecording() {
        return lowering.newRecording();
    }

    /**
     * The kernel of a key. Its code is written beside the caller, or at its first call.
     *
     * @throws IllegalArgumentException if no family knows the key, or a parameter is wrong; the message names it
     */
    public Kernel kernel(KernelKey key) {
        Kernel known = kernels.get(key);
        if (known != null) {
            return known;
        }
        String name = key.toString();
        if (lowering.isKept(name)) {
            return trusted(key);
        }
        Program program = describe(key);
        return kernels.computeIfAbsent(key, _ -> lowering.lowerLater(name, () -> program));
    }

    /** The kernels of some keys. */
    public List<Kernel> kernels(List<KernelKey> keys) {
        List<Kernel> found = new ArrayList<>();
        for (KernelKey key : keys) {
            found.add(kernel(key));
        }
        return found;
    }

    /** The kernel of a key that its own family has made: it is read beside the caller, too. */
    public Kernel trusted(KernelKey key) {
        Kernel known = kernels.get(key);
        return known != null
                ? known
                : kernels.computeIfAbsent(key, fresh -> lowering.lowerLater(fresh.toString(), () -> describe(fresh)));
    }

    /** The program of a key, for a reader. */
    public Program describe(KernelKey key) {
        KernelFamily family = families.named(key.family());
        if (family == null) {
            throw new IllegalArgumentException("kernel key " + key + " is of the unknown family " + key.family());
        }
        return family.describe(key, lowering.target());
    }
}
