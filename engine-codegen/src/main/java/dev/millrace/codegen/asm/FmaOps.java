package dev.millrace.codegen.asm;

import static dev.millrace.codegen.asm.Op.op;

/**
 * Multiplication and addition rounded once. The digits say which operands are multiplied: 231 is first += second *
 * third.
 */
public final class FmaOps {
    // one rounding
    public static final Op VFMADD132PS = op("vfmadd132ps", "V:FMA/E:AVX512F 66 0F38 W0 98 RVM v v v/m/b4");
    public static final Op VFMADD132PD = op("vfmadd132pd", "V:FMA/E:AVX512F 66 0F38 W1 98 RVM v v v/m/b8");
    public static final Op VFMADD213PS = op("vfmadd213ps", "V:FMA/E:AVX512F 66 0F38 W0 A8 RVM v v v/m/b4");
    public static final Op VFMADD213PD = op("vfmadd213pd", "V:FMA/E:AVX512F 66 0F38 W1 A8 RVM v v v/m/b8");
    public static final Op VFMADD231PS = op("vfmadd231ps", "V:FMA/E:AVX512F 66 0F38 W0 B8 RVM v v v/m/b4");
    public static final Op VFMADD231PD = op("vfmadd231pd", "V:FMA/E:AVX512F 66 0F38 W1 B8 RVM v v v/m/b8");
    public static final Op VFMSUB132PS = op("vfmsub132ps", "V:FMA/E:AVX512F 66 0F38 W0 9A RVM v v v/m/b4");
    public static final Op VFMSUB132PD = op("vfmsub132pd", "V:FMA/E:AVX512F 66 0F38 W1 9A RVM v v v/m/b8");
    public static final Op VFMSUB213PS = op("vfmsub213ps", "V:FMA/E:AVX512F 66 0F38 W0 AA RVM v v v/m/b4");
    public static final Op VFMSUB213PD = op("vfmsub213pd", "V:FMA/E:AVX512F 66 0F38 W1 AA RVM v v v/m/b8");
    public static final Op VFMSUB231PS = op("vfmsub231ps", "V:FMA/E:AVX512F 66 0F38 W0 BA RVM v v v/m/b4");
    public static final Op VFMSUB231PD = op("vfmsub231pd", "V:FMA/E:AVX512F 66 0F38 W1 BA RVM v v v/m/b8");
    public static final Op VFNMADD132PS = op("vfnmadd132ps", "V:FMA/E:AVX512F 66 0F38 W0 9C RVM v v v/m/b4");
    public static final Op VFNMADD132PD = op("vfnmadd132pd", "V:FMA/E:AVX512F 66 0F38 W1 9C RVM v v v/m/b8");
    public static final Op VFNMADD213PS = op("vfnmadd213ps", "V:FMA/E:AVX512F 66 0F38 W0 AC RVM v v v/m/b4");
    public static final Op VFNMADD213PD = op("vfnmadd213pd", "V:FMA/E:AVX512F 66 0F38 W1 AC RVM v v v/m/b8");
    public static final Op VFNMADD231PS = op("vfnmadd231ps", "V:FMA/E:AVX512F 66 0F38 W0 BC RVM v v v/m/b4");
    public static final Op VFNMADD231PD = op("vfnmadd231pd", "V:FMA/E:AVX512F 66 0F38 W1 BC RVM v v v/m/b8");
    public static final Op VFNMSUB132PS = op("vfnmsub132ps", "V:FMA/E:AVX512F 66 0F38 W0 9E RVM v v v/m/b4");
    public static final Op VFNMSUB132PD = op("vfnmsub132pd", "V:FMA/E:AVX512F 66 0F38 W1 9E RVM v v v/m/b8");
    public static final Op VFNMSUB213PS = op("vfnmsub213ps", "V:FMA/E:AVX512F 66 0F38 W0 AE RVM v v v/m/b4");
    public static final Op VFNMSUB213PD = op("vfnmsub213pd", "V:FMA/E:AVX512F 66 0F38 W1 AE RVM v v v/m/b8");
    public static final Op VFNMSUB231PS = op("vfnmsub231ps", "V:FMA/E:AVX512F 66 0F38 W0 BE RVM v v v/m/b4");
    public static final Op VFNMSUB231PD = op("vfnmsub231pd", "V:FMA/E:AVX512F 66 0F38 W1 BE RVM v v v/m/b8");
    public static final Op VFMADD213SS = op("vfmadd213ss", "V:FMA/E:AVX512F 66 0F38 W0 A9 RVM x x x/m4");
    public static final Op VFMADD213SD = op("vfmadd213sd", "V:FMA/E:AVX512F 66 0F38 W1 A9 RVM x x x/m8");
    public static final Op VFMADD231SS = op("vfmadd231ss", "V:FMA/E:AVX512F 66 0F38 W0 B9 RVM x x x/m4");
    public static final Op VFMADD231SD = op("vfmadd231sd", "V:FMA/E:AVX512F 66 0F38 W1 B9 RVM x x x/m8");
    public static final Op VFNMADD213SS = op("vfnmadd213ss", "V:FMA/E:AVX512F 66 0F38 W0 AD RVM x x x/m4");
    public static final Op VFNMADD213SD = op("vfnmadd213sd", "V:FMA/E:AVX512F 66 0F38 W1 AD RVM x x x/m8");
    public static final Op VFNMADD231SS = op("vfnmadd231ss", "V:FMA/E:AVX512F 66 0F38 W0 BD RVM x x x/m4");
    public static final Op VFNMADD231SD = op("vfnmadd231sd", "V:FMA/E:AVX512F 66 0F38 W1 BD RVM x x x/m8");

    private FmaOps() {}
}
