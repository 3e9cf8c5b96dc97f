package dev.millrace.codegen.key;

import dev.millrace.codegen.code.Recording;
import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.codegen.program.Lowering;
import dev.millrace.codegen.program.Memory;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.Target;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The kernels emitted so far, by key; others are emitted on request. Thread-safe. */
public final class KernelSet {
    private final Lowering lowering;
    private final KernelFamilies families;
    private final ConcurrentHashMap<KernelKey, CompiledKernel> kernels = new ConcurrentHashMap<>();

    public KernelSet(Lowering lowering, KernelFamilies families) {
        this.lowering = lowering;
        this.families = families;
    }

    public Target target() {
        return lowering.target();
    }

    /** Creates a memory for the calls of one thread. */
    public Memory newMemory() {
        return lowering.newMemory();
    }

    /** Allocates memory for these kernels, with undefined content. It is freed when it is unreachable. */
    public MemorySegment allocate(long bytes) {
        return lowering.allocate(bytes);
    }

    /** Creates a recording for calls of these kernels; null where they cannot be replayed. */
    public @Nullable Recording newRecording() {
        return lowering.newRecording();
    }

    /**
     * Returns the kernel of a key. Its code is emitted on another thread, or at its first call.
     *
     * @throws IllegalArgumentException if no family knows the key, or a parameter is wrong; the message names it
     */
    public CompiledKernel kernel(KernelKey key) {
        CompiledKernel known = kernels.get(key);
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

    /** Returns the kernels of some keys. */
    public List<CompiledKernel> kernels(List<KernelKey> keys) {
        List<CompiledKernel> found = new ArrayList<>();
        for (KernelKey key : keys) {
            found.add(kernel(key));
        }
        return found;
    }

    /**
     * Returns the kernel of a key that its own family has made. The key, too, is interpreted on another thread or at
     * the first call.
     */
    public CompiledKernel trusted(KernelKey key) {
        CompiledKernel known = kernels.get(key);
        return known != null
                ? known
                : kernels.computeIfAbsent(key, fresh -> lowering.lowerLater(fresh.toString(), () -> describe(fresh)));
    }

    /** Returns the program of a key. */
    public Program describe(KernelKey key) {
        KernelFamily family = families.named(key.family());
        if (family == null) {
            throw new IllegalArgumentException("kernel key " + key + " is of the unknown family " + key.family());
        }
        return family.describe(key, lowering.target());
    }
}
