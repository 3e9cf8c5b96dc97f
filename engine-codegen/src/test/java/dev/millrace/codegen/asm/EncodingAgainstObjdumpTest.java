package dev.millrace.codegen.asm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** An independent disassembler reads every row of the table as what we meant. */
class EncodingAgainstObjdumpTest {
    private static final int ROUNDS = 300;
    private static final int LEAST = 100_000;
    private static final int BATCH = 20_000;
    private static final Class<?>[] TABLES = {
        ScalarOps.class,
        MaskOps.class,
        MoveOps.class,
        FloatOps.class,
        FmaOps.class,
        ConvertOps.class,
        ShuffleOps.class,
        PackedOps.class
    };

    @BeforeAll
    static void needsObjdump() {
        boolean available = Objdump.available();
        if (!available) {
            System.out.println("skipped: objdump (GNU binutils) is not on the path, so encodings are not checked");
        }
        assumeTrue(available, "objdump (GNU binutils) is not on the path");
    }

    private static List<Op> allOps() {
        List<Op> ops = new ArrayList<>();
        try {
            for (Class<?> table : TABLES) {
                for (Field field : table.getDeclaredFields()) {
                    if (Modifier.isPublic(field.getModifiers())) {
                        Op op = (Op) field.get(null);
                        assertEquals(field.getName().toLowerCase(), op.mnemonic());
                        ops.add(op);
                    }
                }
            }
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
        return ops;
    }

    @Test
    void everyRowIsReadBackAsWritten() {
        List<Op> ops = allOps();
        Random random = new Random(20);
        int rows = ops.stream().mapToInt(op -> op.forms().length).sum();
        int count = 0;
        CodeBuffer code = new CodeBuffer();
        List<Emitted> written = new ArrayList<>();
        Label start = boundAtStart(code);
        for (int round = 0; round < ROUNDS; round++) {
            for (Op op : ops) {
                for (Form form : op.forms()) {
                    OperandMatch match = new RandomOperands(random, start).match(form);
                    int from = code.size();
                    new Encoder(code).encode(match);
                    written.add(Emitted.instruction(from, code.size(), op, match.operands, match));
                    count++;
                    if (written.size() == BATCH) {
                        compare(written, code.toArray());
                        code = new CodeBuffer();
                        start = boundAtStart(code);
                        written.clear();
                    }
                }
            }
        }
        compare(written, code.toArray());
        System.out.printf("objdump agrees on %,d instructions: %d mnemonics, %d rows%n", count, ops.size(), rows);
        assertTrue(count >= LEAST, "only " + count);
    }

    private static Label boundAtStart(CodeBuffer code) {
        Label label = new Label();
        label.bind(code);
        return label;
    }

    private static void compare(List<Emitted> written, byte[] code) {
        List<Objdump.Line> read = Objdump.disassemble(code);
        List<String> differences = new ArrayList<>();
        for (int i = 0; i < written.size() && differences.size() < 20; i++) {
            Emitted mine = written.get(i);
            Objdump.Line line = i < read.size() ? read.get(i) : new Objdump.Line(-1, "(nothing)");
            if (line.offset() != mine.start() || !line.text().equals(mine.toString())) {
                differences.add(mine.start() + " " + mine + "  <>  " + line.offset() + " " + line.text());
            }
        }
        assertEquals("", String.join("\n", differences));
        assertEquals(written.size(), read.size());
    }

    @Test
    void jumpsConstantsAndAlignmentLandWhereTheyShould() {
        Assembler assembler = new Assembler(FeatureSet.all(), true);
        Label top = assembler.here();
        Label forward = new Label();
        Label close = new Label();
        assembler.jump(Cond.NOT_EQUAL, top);
        assembler.jump(Cond.LESS, forward);
        assembler.jump(forward);
        assembler.jumpShort(Cond.ABOVE, close);
        assembler.emit(FloatOps.VADDPS, Vec.ymm(1), Vec.ymm(2), assembler.constant(1, 2, 3, 4, 5, 6, 7, 8));
        assembler.bind(close);
        Mem one = assembler.constant(0x3f800000);
        assembler.emit(FloatOps.VMULPS, Vec.zmm(20), Vec.zmm(3), one.toAllLanes());
        assembler.emit(FloatOps.VRNDSCALEPS, Vec.zmm(20), one.toAllLanes(), Imm.of(8));
        assembler.emit(ScalarOps.LEA, Gpr.RAX, Mem.at(top));
        for (int i = 0; i < 40; i++) {
            assembler.emit(ScalarOps.ADD, Gpr.R9, Imm.of(1000));
        }
        assembler.jump(top);
        assembler.jump(Cond.GREATER, top);
        assembler.bind(forward);
        assembler.emit(ScalarOps.RET);
        int codeSize = assembler.size();
        byte[] code = assembler.finish();
        compare(assembler.listing(), Arrays.copyOf(code, codeSize));
        int pool = codeSize + 63 & -64;
        assertEquals(1, code[pool]);
        assertEquals(pool + 36, code.length);
    }

    @Test
    void fillingIsMadeOfInstructionsThatDoNothing() {
        for (int i = 1; i <= 33; i++) {
            Assembler assembler = new Assembler(FeatureSet.BASE);
            for (int j = 0; j < i; j++) {
                assembler.emit(ScalarOps.RET);
            }
            assembler.align(32);
            assertEquals(0, assembler.size() % 32);
            List<Objdump.Line> lines = Objdump.disassemble(assembler.finish());
            for (Objdump.Line line : lines.subList(i, lines.size())) {
                assertTrue(line.text().matches("nop.*|xchg +ax,ax|data16 nop"), line.text());
            }
        }
    }
}
