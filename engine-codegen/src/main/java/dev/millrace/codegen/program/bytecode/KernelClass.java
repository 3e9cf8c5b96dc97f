package dev.millrace.codegen.program.bytecode;

import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_void;

import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Step;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.List;

/**
 * The generated class of a kernel. Its method is the whole program, or, where that is more than the JVM compiles, the
 * outer loops and conditions around calls of methods for the pieces.
 */
final class KernelClass {
    /**
     * The largest number of bytes of a method. The JVM compiles no method with more than 8,000 bytes. Methods full of
     * Vector API calls must be shorter: they take too long to compile, and the compilers may run out of stack, which
     * ends the process.
     */
    static final int MOST_BYTES = 2000;

    /** The largest number of steps of a method at the first try. More may exceed the limits of a class file. */
    static final int MOST_STEPS = 1 << 10;

    private static final MethodTypeDesc RUN =
            MethodTypeDesc.of(CD_void, CD_long, CD_long, CD_long, CD_long, CD_long, CD_long);

    private final Program program;
    private final VectorMachine machine;
    private final Cutting cutting;
    private final SharedVariables shared;
    private final ClassDesc name;
    private final List<Object> classData = new ArrayList<>();
    private final byte[] bytes;

    /**
     * Generates the class.
     *
     * @param program the program after its {@link Expansion}
     * @param mostSteps the largest number of steps of a method; fewer are used where they take too many bytes
     */
    static KernelClass of(Program program, VectorMachine machine, int mostSteps) {
        for (int steps = mostSteps; steps > 0; steps /= 2) {
            KernelClass built = new KernelClass(program, machine, new Cutting(program.steps(), steps));
            if (built.longestMethod() <= MOST_BYTES) {
                return built;
            }
        }
        throw new IllegalArgumentException("kernel " + program.name() + " has a step that is too large for a method");
    }

    private KernelClass(Program program, VectorMachine machine, Cutting cutting) {
        this.program = program;
        this.machine = machine;
        this.cutting = cutting;
        shared = new SharedVariables(program.parameters(), cutting);
        name = ClassDesc.of(KernelClass.class.getPackageName(), className(program));
        bytes = ClassFile.of().build(name, this::write);
    }

    /** Whether one method is the whole program. */
    boolean isWhole() {
        return cutting.isWhole();
    }

    byte[] bytes() {
        return bytes;
    }

    /** The class data: objects that the code loads by index. */
    List<Object> classData() {
        return classData;
    }

    /** Returns the number of bytes of the longest method's code. */
    int longestMethod() {
        int longest = 0;
        for (MethodModel method : ClassFile.of().parse(bytes).methods()) {
            longest = Math.max(
                    longest,
                    method.findAttribute(Attributes.code()).orElseThrow().codeLength());
        }
        return longest;
    }

    /** Returns a class name with the kernel's family, for readers of profiles. */
    private static String className(Program program) {
        String name = program.name();
        int colon = name.indexOf(':');
        return "Kernel_" + (colon < 0 ? name : name.substring(0, colon)).replaceAll("[^A-Za-z0-9]", "_");
    }

    private void write(ClassBuilder type) {
        type.withFlags(ClassFile.ACC_FINAL)
                .withInterfaceSymbols(VectorCode.desc(Body.class))
                .withMethodBody(ConstantDescs.INIT_NAME, ConstantDescs.MTD_void, 0, KernelClass::constructor)
                .withMethodBody("run", RUN, ClassFile.ACC_PUBLIC, isWhole() ? this::whole : this::outline);
        if (!isWhole()) {
            for (ProgramPart.Piece piece : cutting.pieces()) {
                type.withMethodBody(
                        PieceCode.name(piece),
                        PieceCode.TYPE,
                        ClassFile.ACC_PRIVATE | ClassFile.ACC_STATIC,
                        code -> piece(code, piece));
            }
        }
    }

    private static void constructor(CodeBuilder code) {
        code.aload(0)
                .invokespecial(CD_Object, ConstantDescs.INIT_NAME, ConstantDescs.MTD_void)
                .return_();
    }

    private VectorCode vectors(CodeBuilder code) {
        return new VectorCode(code, program, classData);
    }

    private void whole(CodeBuilder code) {
        VectorCode vectors = vectors(code);
        vectors.takeParameters(program.parameters());
        new VectorWriter(vectors, machine).all(program.steps());
        code.return_();
    }

    private void piece(CodeBuilder code, ProgramPart.Piece piece) {
        VectorCode vectors = vectors(code);
        new PieceCode(code, vectors, shared, program.target().lanes()).write(piece, new VectorWriter(vectors, machine));
    }

    private void outline(CodeBuilder code) {
        int vectors = code.allocateLocal(TypeKind.REFERENCE);
        int scalars = code.allocateLocal(TypeKind.REFERENCE);
        code.loadConstant(shared.vectors() * program.target().lanes())
                .newarray(TypeKind.FLOAT)
                .astore(vectors)
                .loadConstant(shared.scalars())
                .newarray(TypeKind.LONG)
                .astore(scalars);
        for (int i = 0; i < program.parameters().size(); i++) {
            code.aload(scalars)
                    .loadConstant(shared.place(program.parameters().get(i)))
                    .lload(code.parameterSlot(i))
                    .lastore();
        }
        new Outline(code, vectors, scalars).all(cutting.parts());
        code.return_();
    }

    /** Writes the outer loops and conditions, whose variables are in the arrays of shared variables. */
    private final class Outline {
        private final CodeBuilder code;
        private final int vectors;
        private final int scalars;

        Outline(CodeBuilder code, int vectors, int scalars) {
            this.code = code;
            this.vectors = vectors;
            this.scalars = scalars;
        }

        void all(List<ProgramPart> parts) {
            for (ProgramPart part : parts) {
                switch (part) {
                    case ProgramPart.Piece piece ->
                        code.aload(vectors).aload(scalars).invokestatic(name, PieceCode.name(piece), PieceCode.TYPE);
                    case ProgramPart.Repeated repeated -> loop(repeated);
                    case ProgramPart.Chosen chosen -> condition(chosen);
                }
            }
        }

        private void pushPlace(ScalarVar scalar) {
            code.aload(scalars).loadConstant(shared.place(scalar));
        }

        private void loop(ProgramPart.Repeated repeated) {
            Step.Loop loop = repeated.loop();
            Label top = code.newBoundLabel();
            Label end = code.newLabel();
            pushPlace(loop.counter());
            code.laload().loadConstant((long) loop.step()).lcmp().iflt(end);
            all(repeated.body());
            pushPlace(loop.counter());
            code.dup2().laload().loadConstant((long) loop.step()).lsub().lastore();
            code.goto_(top).labelBinding(end);
        }

        private void condition(ProgramPart.Chosen chosen) {
            Label otherwise = code.newLabel();
            Label end = code.newLabel();
            pushPlace(chosen.condition().value());
            code.laload().lconst_0().lcmp().ifeq(otherwise);
            all(chosen.then());
            code.goto_(end).labelBinding(otherwise);
            all(chosen.otherwise());
            code.labelBinding(end);
        }
    }
}
