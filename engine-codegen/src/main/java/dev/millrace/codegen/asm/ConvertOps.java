package dev.millrace.codegen.asm;

import static dev.millrace.codegen.asm.Op.op;

/** Conversions between element types, and the products of bf16. */
public final class ConvertOps {
    // conversions
    public static final Op VCVTDQ2PS = op("vcvtdq2ps", "V:AVX/E:AVX512F NP 0F W0 5B RM v v/m/b4");
    public static final Op VCVTPS2DQ = op("vcvtps2dq", "V:AVX/E:AVX512F 66 0F W0 5B RM v v/m/b4");
    public static final Op VCVTTPS2DQ = op("vcvttps2dq", "V:AVX/E:AVX512F F3 0F W0 5B RM v v/m/b4");
    public static final Op VCVTUDQ2PS = op("vcvtudq2ps", "E:AVX512F F2 0F W0 7A RM v v/m/b4");
    public static final Op VCVTPS2UDQ = op("vcvtps2udq", "E:AVX512F NP 0F W0 79 RM v v/m/b4");
    public static final Op VCVTTPS2UDQ = op("vcvttps2udq", "E:AVX512F NP 0F W0 78 RM v v/m/b4");
    public static final Op VCVTPS2PD = op("vcvtps2pd", "V:AVX/E:AVX512F NP 0F W0 5A RM v h/m/b4");
    public static final Op VCVTPD2PS = op(
            "vcvtpd2ps",
            "V:AVX/E:AVX512F 66 0F W01 5A RM h v",
            "V:AVX/E:AVX512F 66 0F W01 5A RM x m32 L256",
            "E:AVX512F 66 0F W1 5A RM y m64 L512");
    public static final Op VCVTDQ2PD = op("vcvtdq2pd", "V:AVX/E:AVX512F F3 0F W0 E6 RM v h/m/b4");
    public static final Op VCVTPD2DQ = op("vcvtpd2dq", "V:AVX/E:AVX512F F2 0F W01 E6 RM h v");
    public static final Op VCVTTPD2DQ = op("vcvttpd2dq", "V:AVX/E:AVX512F 66 0F W01 E6 RM h v");
    public static final Op VCVTQQ2PD = op("vcvtqq2pd", "E:AVX512DQ F3 0F W1 E6 RM v v/m/b8");
    public static final Op VCVTTPD2QQ = op("vcvttpd2qq", "E:AVX512DQ 66 0F W1 7A RM v v/m/b8");
    public static final Op VCVTPH2PS = op("vcvtph2ps", "V:F16C/E:AVX512F 66 0F38 W0 13 RM v h/m");
    public static final Op VCVTPS2PH = op("vcvtps2ph", "V:F16C/E:AVX512F 66 0F3A W0 1D MRI h/m v i");
    public static final Op VCVTNE2PS2BF16 = op("vcvtne2ps2bf16", "E:AVX512_BF16 F2 0F38 W0 72 RVM v v v/m/b4");
    public static final Op VCVTNEPS2BF16 = op("vcvtneps2bf16", "E:AVX512_BF16 F3 0F38 W0 72 RM h v");
    public static final Op VDPBF16PS = op("vdpbf16ps", "E:AVX512_BF16 F3 0F38 W0 52 RVM v v v/m/b4");
    public static final Op VCVTSI2SS = op("vcvtsi2ss", "V:AVX/E:AVX512F F3 0F Wr 2A RVM x x r/m nomask");
    public static final Op VCVTSI2SD = op("vcvtsi2sd", "V:AVX/E:AVX512F F2 0F Wr 2A RVM x x r/m nomask");
    public static final Op VCVTTSS2SI = op("vcvttss2si", "V:AVX/E:AVX512F F3 0F Wr 2C RM r x/m4 nomask");
    public static final Op VCVTSS2SI = op("vcvtss2si", "V:AVX/E:AVX512F F3 0F Wr 2D RM r x/m4 nomask");
    public static final Op VCVTSS2SD = op("vcvtss2sd", "V:AVX/E:AVX512F F3 0F W0 5A RVM x x x/m4");
    public static final Op VCVTSD2SS = op("vcvtsd2ss", "V:AVX/E:AVX512F F2 0F W01 5A RVM x x x/m8");

    private ConvertOps() {}
}
