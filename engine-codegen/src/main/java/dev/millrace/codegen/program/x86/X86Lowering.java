package dev.millrace.codegen.program.x86;

import dev.millrace.codegen.asm.Assembler;
import dev.millrace.codegen.asm.FeatureSet;
import dev.millrace.codegen.code.BackgroundExecutor;
import dev.millrace.codegen.code.CallPlayer;
import dev.millrace.codegen.code.CodeArena;
import dev.millrace.codegen.code.CodeStore;
import dev.millrace.codegen.code.MachineFunction;
import dev.millrace.codegen.code.Recording;
import dev.millrace.codegen.code.RelocatableCode;
import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.Lowering;
import dev.millrace.codegen.program.Memory;
import dev.millrace.codegen.program.NativeMemory;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.Target;
import dev.millrace.memory.Pages;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Lowers programs to machine code for AVX2 or AVX-512, in a code arena that the caller closes. */
public final class X86Lowering implements Lowering {
    private static final long LARGE_BYTES = 256 << 10;

    private final Target target;
    private final FeatureSet features;
    private final CodeArena arena;
    /** The code that other processes assembled, or null. */
    private final @Nullable CodeStore store;

    /** The stored code that was requested, or null. */
    private final @Nullable KeptCode keptCode;

    private final BackgroundExecutor beside = new BackgroundExecutor("millrace-assembler");
    private @Nullable CallPlayer player;

    public X86Lowering(Target target, FeatureSet features, CodeArena arena) {
        this(target, features, arena, null);
    }

    /** @param store stored code of programs for this target, by the names in {@link #lowerLater}; or null */
    public X86Lowering(Target target, FeatureSet features, CodeArena arena, @Nullable CodeStore store) {
        this.target = target;
        this.features = features;
        this.arena = arena;
        this.store = store;
        this.keptCode = store == null ? null : new KeptCode(store, arena);
    }

    @Override
    public Target target() {
        return target;
    }

    @Override
    public List<CompiledKernel> lower(List<Program> programs) {
        List<RelocatableCode> blocks = new ArrayList<>();
        for (Program program : programs) {
            blocks.add(block(program));
        }
        List<CompiledKernel> kernels = new ArrayList<>();
        for (MachineFunction function : arena.install(blocks)) {
            kernels.add(new MachineKernel(function));
        }
        return kernels;
    }

    @Override
    public CompiledKernel lowerLater(String name, Supplier<Program> program) {
        KeptCode code = keptCode;
        if (code != null && isKept(name)) {
            code.expect(name);
            return new MachineKernel(name, () -> code.get(name));
        }
        var kernel = new MachineKernel(name, () -> arena.install(assembled(name, program)));
        beside.add(kernel::made);
        return kernel;
    }

    @Override
    public boolean isKept(String name) {
        return store != null && store.has(name);
    }

    private RelocatableCode assembled(String name, Supplier<Program> program) {
        RelocatableCode block = block(program.get());
        if (store != null) {
            store.add(new RelocatableCode(name, block.bytes()));
        }
        return block;
    }

    private RelocatableCode block(Program program) {
        return new RelocatableCode(
                program.name(), assemble(program, features, false).finish());
    }

    /**
     * Assembles a program without finishing the code.
     *
     * @param listing whether the assembler keeps a listing
     */
    public static Assembler assemble(Program program, FeatureSet features, boolean listing) {
        Lifetimes.Temporaries rule = masksAreVectors(program) ? Avx2Emitter::temporaries : Avx512Emitter::temporaries;
        Program placed = ConstantPlacement.apply(program, List.of());
        Lifetimes lifetimes = Lifetimes.of(placed, rule);
        Registers registers = Registers.assign(placed, lifetimes);
        List<Constant> constants = LoopConstants.of(program);
        int held = Math.min(constants.size(), registers.idleVectors());
        if (held > 0) {
            placed = ConstantPlacement.apply(program, constants.subList(0, held));
            lifetimes = Lifetimes.of(placed, rule);
            registers = Registers.assign(placed, lifetimes);
        }
        Assembler assembler = new Assembler(features, listing);
        StepEmitter emitter = masksAreVectors(program)
                ? new Avx2Emitter(assembler, registers)
                : new Avx512Emitter(assembler, registers);
        emitter.function(placed);
        return assembler;
    }

    private static boolean masksAreVectors(Program program) {
        return program.target().masks() == 0;
    }

    @Override
    public Memory newMemory() {
        return new NativeMemory();
    }

    /**
     * Allocates memory outside of the budget of collectable memory if it is large, since weights live as long as their
     * sessions.
     */
    @Override
    public MemorySegment allocate(long bytes) {
        return bytes < LARGE_BYTES
                ? Lowering.super.allocate(bytes)
                : Pages.map(bytes, Arena.ofAuto()).asSlice(0, bytes);
    }

    @Override
    public synchronized Recording newRecording() {
        if (player == null) {
            player = new CallPlayer(arena);
        }
        return new Recording(player);
    }
}
