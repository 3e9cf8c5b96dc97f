package dev.millrace.codegen.asm;

import static dev.millrace.codegen.asm.Op.op;

/** Instructions that move elements between lanes, and choose between vectors of integers. */
public final class ShuffleOps {
    // shuffles, permutations, packing, blends
    public static final Op VSHUFPS = op("vshufps", "V:AVX/E:AVX512F NP 0F W0 C6 RVMI v v v/m/b4 i");
    public static final Op VSHUFPD = op("vshufpd", "V:AVX/E:AVX512F 66 0F W01 C6 RVMI v v v/m/b8 i");
    public static final Op VPERMILPS = op(
            "vpermilps",
            "V:AVX/E:AVX512F 66 0F3A W0 04 RMI v v/m/b4 i",
            "V:AVX/E:AVX512F 66 0F38 W0 0C RVM v v v/m/b4");
    public static final Op VPERMILPD = op(
            "vpermilpd",
            "V:AVX/E:AVX512F 66 0F3A W01 05 RMI v v/m/b8 i",
            "V:AVX/E:AVX512F 66 0F38 W01 0D RVM v v v/m/b8");
    public static final Op VMOVSHDUP = op("vmovshdup", "V:AVX/E:AVX512F F3 0F W0 16 RM v v/m");
    public static final Op VMOVSLDUP = op("vmovsldup", "V:AVX/E:AVX512F F3 0F W0 12 RM v v/m");
    public static final Op VMOVHLPS = op("vmovhlps", "V:AVX/E:AVX512F NP 0F W0 12 RVM x x x nomask");
    public static final Op VMOVLHPS = op("vmovlhps", "V:AVX/E:AVX512F NP 0F W0 16 RVM x x x nomask");
    public static final Op VPERM2F128 = op("vperm2f128", "V:AVX 66 0F3A W0 06 RVMI v v v/m i L256");
    public static final Op VPERM2I128 = op("vperm2i128", "V:AVX2 66 0F3A W0 46 RVMI v v v/m i L256");
    public static final Op VPERMPS = op("vpermps", "V:AVX2/E:AVX512F 66 0F38 W0 16 RVM v v v/m/b4 L256+");
    public static final Op VPERMD = op("vpermd", "V:AVX2/E:AVX512F 66 0F38 W0 36 RVM v v v/m/b4 L256+");
    public static final Op VPERMPD = op(
            "vpermpd",
            "V:AVX2/E:AVX512F 66 0F3A W1 01 RMI v v/m/b8 i L256+",
            "E:AVX512F 66 0F38 W1 16 RVM v v v/m/b8 L256+");
    public static final Op VPERMQ = op(
            "vpermq",
            "V:AVX2/E:AVX512F 66 0F3A W1 00 RMI v v/m/b8 i L256+",
            "E:AVX512F 66 0F38 W1 36 RVM v v v/m/b8 L256+");
    public static final Op VPERMI2PS = op("vpermi2ps", "E:AVX512F 66 0F38 W0 77 RVM v v v/m/b4");
    public static final Op VPERMT2PS = op("vpermt2ps", "E:AVX512F 66 0F38 W0 7F RVM v v v/m/b4");
    public static final Op VPERMI2D = op("vpermi2d", "E:AVX512F 66 0F38 W0 76 RVM v v v/m/b4");
    public static final Op VPERMT2D = op("vpermt2d", "E:AVX512F 66 0F38 W0 7E RVM v v v/m/b4");
    public static final Op VPERMW = op("vpermw", "E:AVX512BW 66 0F38 W1 8D RVM v v v/m");
    public static final Op VPERMB = op("vpermb", "E:AVX512_VBMI 66 0F38 W0 8D RVM v v v/m");
    public static final Op VSHUFF32X4 = op("vshuff32x4", "E:AVX512F 66 0F3A W0 23 RVMI v v v/m/b4 i L256+");
    public static final Op VSHUFF64X2 = op("vshuff64x2", "E:AVX512F 66 0F3A W1 23 RVMI v v v/m/b8 i L256+");
    public static final Op VSHUFI32X4 = op("vshufi32x4", "E:AVX512F 66 0F3A W0 43 RVMI v v v/m/b4 i L256+");
    public static final Op VUNPCKLPS = op("vunpcklps", "V:AVX/E:AVX512F NP 0F W0 14 RVM v v v/m/b4");
    public static final Op VUNPCKHPS = op("vunpckhps", "V:AVX/E:AVX512F NP 0F W0 15 RVM v v v/m/b4");
    public static final Op VUNPCKLPD = op("vunpcklpd", "V:AVX/E:AVX512F 66 0F W01 14 RVM v v v/m/b8");
    public static final Op VUNPCKHPD = op("vunpckhpd", "V:AVX/E:AVX512F 66 0F W01 15 RVM v v v/m/b8");
    public static final Op VPUNPCKLBW = op("vpunpcklbw", "V:AVX2/E:AVX512BW 66 0F W0 60 RVM v v v/m");
    public static final Op VPUNPCKHBW = op("vpunpckhbw", "V:AVX2/E:AVX512BW 66 0F W0 68 RVM v v v/m");
    public static final Op VPUNPCKLWD = op("vpunpcklwd", "V:AVX2/E:AVX512BW 66 0F W0 61 RVM v v v/m");
    public static final Op VPUNPCKHWD = op("vpunpckhwd", "V:AVX2/E:AVX512BW 66 0F W0 69 RVM v v v/m");
    public static final Op VPUNPCKLDQ = op("vpunpckldq", "V:AVX2/E:AVX512F 66 0F W0 62 RVM v v v/m/b4");
    public static final Op VPUNPCKHDQ = op("vpunpckhdq", "V:AVX2/E:AVX512F 66 0F W0 6A RVM v v v/m/b4");
    public static final Op VPUNPCKLQDQ = op("vpunpcklqdq", "V:AVX2/E:AVX512F 66 0F W01 6C RVM v v v/m/b8");
    public static final Op VPUNPCKHQDQ = op("vpunpckhqdq", "V:AVX2/E:AVX512F 66 0F W01 6D RVM v v v/m/b8");
    public static final Op VPSHUFB = op("vpshufb", "V:AVX2/E:AVX512BW 66 0F38 W0 00 RVM v v v/m");
    public static final Op VPSHUFD = op("vpshufd", "V:AVX2/E:AVX512F 66 0F W0 70 RMI v v/m/b4 i");
    public static final Op VPSHUFHW = op("vpshufhw", "V:AVX2/E:AVX512BW F3 0F W0 70 RMI v v/m i");
    public static final Op VPSHUFLW = op("vpshuflw", "V:AVX2/E:AVX512BW F2 0F W0 70 RMI v v/m i");
    public static final Op VPALIGNR = op("vpalignr", "V:AVX2/E:AVX512BW 66 0F3A W0 0F RVMI v v v/m i");
    public static final Op VALIGND = op("valignd", "E:AVX512F 66 0F3A W0 03 RVMI v v v/m/b4 i");
    public static final Op VPACKSSWB = op("vpacksswb", "V:AVX2/E:AVX512BW 66 0F W0 63 RVM v v v/m");
    public static final Op VPACKUSWB = op("vpackuswb", "V:AVX2/E:AVX512BW 66 0F W0 67 RVM v v v/m");
    public static final Op VPACKSSDW = op("vpackssdw", "V:AVX2/E:AVX512BW 66 0F W0 6B RVM v v v/m");
    public static final Op VPACKUSDW = op("vpackusdw", "V:AVX2/E:AVX512BW 66 0F38 W0 2B RVM v v v/m");
    public static final Op VPBLENDD = op("vpblendd", "V:AVX2 66 0F3A W0 02 RVMI v v v/m i");
    public static final Op VPBLENDW = op("vpblendw", "V:AVX2 66 0F3A W0 0E RVMI v v v/m i");
    public static final Op VPBLENDVB = op("vpblendvb", "V:AVX2 66 0F3A W0 4C RVMS v v v/m v");
    public static final Op VPBLENDMD = op("vpblendmd", "E:AVX512F 66 0F38 W0 64 RVM v v v/m/b4");
    public static final Op VPBLENDMQ = op("vpblendmq", "E:AVX512F 66 0F38 W1 64 RVM v v v/m/b8");
    public static final Op VPBLENDMB = op("vpblendmb", "E:AVX512BW 66 0F38 W0 66 RVM v v v/m");
    public static final Op VCOMPRESSPS = op("vcompressps", "E:AVX512F 66 0F38 W0 8A MR v v");
    public static final Op VEXPANDPS = op("vexpandps", "E:AVX512F 66 0F38 W0 88 RM v v");
    public static final Op VPCOMPRESSD = op("vpcompressd", "E:AVX512F 66 0F38 W0 8B MR v v");
    public static final Op VPEXPANDD = op("vpexpandd", "E:AVX512F 66 0F38 W0 89 RM v v");

    private ShuffleOps() {}
}
