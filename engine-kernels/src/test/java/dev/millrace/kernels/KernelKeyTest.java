package dev.millrace.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.plain.PlainLowering;
import dev.millrace.kernels.expression.DataType;
import dev.millrace.kernels.expression.ElementwiseFamily;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.ExprText;
import dev.millrace.kernels.gemm.Activation;
import dev.millrace.kernels.gemm.Epilogue;
import dev.millrace.kernels.gemm.GemmPack;
import dev.millrace.kernels.gemm.GemmTile;
import java.util.List;
import org.junit.jupiter.api.Test;

class KernelKeyTest {
    private static final KernelSet KERNELS = new KernelSet(new PlainLowering(Target.PLAIN), Families.ALL);

    @Test
    void aKeyComesBackFromItsText() {
        KernelKey tile = new GemmTile.Variant(6, 2, true, false, Epilogue.of(true, Activation.RELU)).key();
        KernelKey expression =
                ElementwiseFamily.key(Expr.silu(Expr.input(0)).plus(Expr.number(-0.5f)), DataType.F32, false);
        for (KernelKey key : List.of(tile, expression, GemmPack.key(2), KernelKey.of("bare"))) {
            KernelKey again = KernelKey.parse(key.toString());
            assertEquals(key, again);
            assertEquals(key.hashCode(), again.hashCode());
        }
        assertEquals(
                "gemm.f32:accumulate=0,acolumns=0,brows=0,epilogue=(relu (add in0 in1)),fetch=none,masked=1,"
                        + "operands=column,output=f32,panels=1,rows=6,vectors=2",
                tile.toString());
    }

    @Test
    void aKeyFromElsewhereEmitsTheSameProgram() {
        KernelKey key = new GemmTile.Variant(5, 2, true, true, Epilogue.of(true, Activation.RELU)).key();
        assertEquals(
                KERNELS.describe(key).toString(),
                KERNELS.describe(KernelKey.parse(key.toString())).toString());
    }

    private static void refused(String key, String reason) {
        Exception refusal = assertThrows(
                IllegalArgumentException.class, () -> KERNELS.kernel(KernelKey.parse(key)), "not refused: " + key);
        assertTrue(refusal.toString().contains(reason), refusal.getMessage());
    }

    @Test
    void wrongParametersAreNamed() {
        String good =
                "accumulate=0,acolumns=0,brows=0,epilogue=in0,fetch=none,masked=0,operands=none,output=f32,panels=1";
        refused("gemm.f32:" + good + ",rows=7,vectors=2", "the parameter rows is 7, but must be a number from 1 to 6");
        refused("gemm.f32:" + good + ",rows=two,vectors=2", "the parameter rows is two");
        refused("gemm.f32:" + good + ",rows=2", "lacks the parameter vectors");
        refused(
                ("gemm.f32:" + good + ",rows=2,vectors=1")
                        .replace("fetch=none", "fetch=next")
                        .replace("panels=1", "panels=2"),
                "the parameter fetch is next, but panels is 2");
        refused("gemm.f32:" + good + ",rows=2,vectors=2,columns=3", "unknown parameter columns");
        refused("gemm.f32:" + good.replace("in0", "(cosine in0)") + ",rows=1,vectors=1", "unknown function COSINE");
        refused("gemm.f64:rows=1", "unknown family gemm.f64");
        refused("gemm.f32.pack:vectors=1,vectors=2", "has a parameter vectors already");
        refused("gemm.f32.pack:vectors", "a part without =");
        refused(
                "elementwise:out=f32,streamed=0,expr=(cube in0)",
                "the parameter expr is wrong: expression (cube in0): unknown function");
        refused("elementwise:out=f32,streamed=0,expr=(add in0 in9)", "input 9 does not exist");
        refused("elementwise:out=f32,streamed=0,expr=" + "(abs ".repeat(70) + "in0" + ")".repeat(70), "nested deeper");
    }

    @Test
    void sizesArePowersOfTwo() {
        assertEquals(4, KernelKey.of("layout.fill").with("bytes", 4).powerOfTwo("bytes", 8));
        for (int wrong : new int[] {0, 6, 16}) {
            KernelKey key = KernelKey.of("layout.fill").with("bytes", wrong);
            Exception refusal = assertThrows(IllegalArgumentException.class, () -> key.powerOfTwo("bytes", 8));
            assertTrue(refusal.toString().contains("the parameter bytes is " + wrong), refusal.getMessage());
        }
    }

    @Test
    void expressionsComeBackFromTheirText() {
        Expr expression = Expr.gelu(Expr.input(0)).over(Expr.single(3)).min(Expr.number(Float.NaN));
        assertEquals(expression, ExprText.parse(ExprText.print(expression)));
        for (String wrong : List.of("", "in", "#xyz", "(abs in0", "in0 in1", "(add in0)", "(abs)")) {
            assertThrows(IllegalArgumentException.class, () -> ExprText.parse(wrong), wrong);
        }
    }
}
