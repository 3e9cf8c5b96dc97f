package dev.millrace.codegen.key;

import dev.millrace.codegen.code.Recording;
import dev.millrace.codegen.program.Kernel;
import dev.millrace.codegen.program.Lowering;
import dev.millrace.codegen.program.Memory;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.Target;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

    /** For calls of these kernels, or null where they cannot be made again by themselves. */
    public @Nullable Recording newRecording() {
        return lowering.newRecording();
    }

    /**
     * The kernel of a key.
     *
     * @throws IllegalArgumentException if no family knows the key, or a parameter is wrong; the message names it
     */
    public Kernel kernel(KernelKey key) {
        Kernel known = kernels.get(key);
        return known != null ? known : kernels(List.of(key)).get(0);
    }

    /** The kernels of some keys, those that are new emitted together. */
    public synchronized List<Kernel> kernels(List<KernelKey> keys) {
        Map<KernelKey, Program> missing = new LinkedHashMap<>();
        for (KernelKey key : keys) {
            if (!kernels.containsKey(key) && !missing.containsKey(key)) {
                missing.put(key, describe(key));
            }
        }
        if (!missing.isEmpty()) {
            Iterator<Kernel> emitted =
                    lowering.lower(List.copyOf(missing.values())).iterator();
            missing.keySet().forEach(key -> kernels.put(key, emitted.next()));
        }
        List<Kernel> found = new ArrayList<>();
        for (KernelKey key : keys) {
            found.add(kernels.get(key));
        }
        return found;
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
