package dev.millrace.codegen.program.x86;

import dev.millrace.codegen.code.MachineFunction;
import dev.millrace.codegen.code.Recording;
import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.codegen.program.Memory;
import dev.millrace.codegen.program.NativeMemory;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Machine code that is there when it is first called: another thread has made it by then, or the caller does. */
final class MachineKernel implements CompiledKernel {
    private final String name;
    /** How the code is made; null when it has been. */
    private @Nullable Supplier<MachineFunction> maker;
    /** Read without a lock; whoever sees it sees all of it. */
    private @Nullable MachineFunction function;

    MachineKernel(MachineFunction function) {
        name = function.name();
        this.function = function;
    }

    MachineKernel(String name, Supplier<MachineFunction> maker) {
        this.name = name;
        this.maker = maker;
    }

    @Override
    public String name() {
        return name;
    }

    /** The code, which is made if nobody has. */
    synchronized MachineFunction made() {
        MachineFunction made = function;
        if (made == null) {
            made = Objects.requireNonNull(maker).get();
            function = made;
            maker = null;
        }
        return made;
    }

    @Override
    public void call(Memory memory, long a, long b, long c, long d, long e, long f) {
        MemorySegment[] toHold = NativeMemory.toHold(memory, name);
        MachineFunction made = function;
        if (made == null) {
            made = made();
        }
        Recording recording = Recording.ofThread();
        if (recording != null) {
            recording.add(made, a, b, c, d, e, f);
        }
        if (Recording.skipsCalls()) {
            return;
        }
        if (toHold == null) {
            made.call(a, b, c, d, e, f);
        } else {
            made.callHolding(toHold, a, b, c, d, e, f);
        }
    }
}
