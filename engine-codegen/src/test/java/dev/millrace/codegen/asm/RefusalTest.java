package dev.millrace.codegen.asm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** The assembler refuses instructions that cannot be encoded, with the reason. */
class RefusalTest {
    private static final FeatureSet AVX2 = FeatureSet.of(Feature.AVX, Feature.AVX2, Feature.FMA);

    private static void refused(String reason, FeatureSet features, Op op, Operand... operands) {
        Assembler assembler = new Assembler(features);
        Exception refusal = assertThrows(IllegalArgumentException.class, () -> assembler.emit(op, operands));
        assertTrue(refusal.toString().contains(reason), refusal.getMessage());
        assertEquals(0, assembler.size());
    }

    @Test
    void highRegistersAndZmmNeedEvex() {
        refused(
                "vaddps [ymm16, ymm1, ymm2] cannot be encoded: it needs",
                AVX2,
                FloatOps.VADDPS,
                Vec.ymm(16),
                Vec.ymm(1),
                Vec.ymm(2));
        refused("AVX-512", AVX2, FloatOps.VROUNDPS, Vec.ymm(1), Vec.ymm(31), Imm.of(0));
        refused("AVX-512", FeatureSet.all(), MoveOps.VMASKMOVPS, Mem.at(Gpr.RAX), Vec.ymm(17), Vec.ymm(2));
        refused("AVX512F", AVX2, FloatOps.VADDPS, Vec.zmm(0), Vec.zmm(1), Vec.zmm(2));
    }

    @Test
    void narrowEvexNeedsVl() {
        refused("AVX512VL", FeatureSet.of(Feature.AVX512F), FloatOps.VADDPS, Vec.ymm(16), Vec.ymm(1), Vec.ymm(2));
    }

    @Test
    void featuresAreNamed() {
        FeatureSet avx512 = AVX2.with(Feature.AVX512F, Feature.AVX512VL);
        refused("AVX512_VNNI or AVX_VNNI", avx512, PackedOps.VPDPBUSD, Vec.ymm(0), Vec.ymm(1), Vec.ymm(2));
    }

    @Test
    void masksAreChecked() {
        assertThrows(IllegalArgumentException.class, () -> Vec.zmm(1).masked(Mask.K0));
        assertThrows(IllegalArgumentException.class, () -> new Masked(Mem.at(Gpr.RAX), Mask.K1, true));
        FeatureSet all = FeatureSet.all();
        refused("no write mask", all, MoveOps.VMOVD, Vec.xmm(1).masked(Mask.K1), Gpr.RAX.dword());
        refused("write mask", all, MoveOps.VGATHERDPS, Vec.zmm(1), Mem.at(Gpr.RAX, Vec.zmm(2), 4, 0));
        refused("differ", all, MoveOps.VGATHERDPS, Vec.zmm(2).masked(Mask.K1), Mem.at(Gpr.RAX, Vec.zmm(2), 4, 0));
    }

    @Test
    void operandsAreChecked() {
        FeatureSet all = FeatureSet.all();
        refused("number of operands", all, FloatOps.VADDPS, Vec.ymm(0), Vec.ymm(1));
        refused("widths", all, FloatOps.VADDPS, Vec.ymm(0), Vec.ymm(1), Vec.xmm(2));
        refused("widths", all, ScalarOps.ADD, Gpr.RAX, Gpr.RCX.dword());
        refused("constant", all, ScalarOps.ADD, Gpr.RAX, Imm.of(1L << 40));
        refused(
                "kinds",
                all,
                FloatOps.VADDSS,
                Vec.xmm(0),
                Vec.xmm(1),
                Mem.at(Gpr.RAX).toAllLanes());
        assertThrows(IllegalArgumentException.class, () -> Mem.at(Gpr.RAX, Gpr.RSP, 1, 0));
        assertThrows(IllegalArgumentException.class, () -> Mem.at(Gpr.RAX, Gpr.RCX, 3, 0));
    }

    @Test
    void jumpsThatCannotArriveAreRefused() {
        Assembler assembler = new Assembler(FeatureSet.BASE);
        Label far = new Label();
        assembler.jumpShort(Cond.EQUAL, far);
        for (int i = 0; i < 128; i++) {
            assembler.emit(ScalarOps.RET);
        }
        assertThrows(IllegalStateException.class, () -> assembler.bind(far));
        Assembler dangling = new Assembler(FeatureSet.BASE);
        dangling.jump(new Label());
        assertThrows(IllegalStateException.class, dangling::finish);
    }
}
