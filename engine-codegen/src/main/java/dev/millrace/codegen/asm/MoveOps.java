package dev.millrace.codegen.asm;

import static dev.millrace.codegen.asm.Op.op;

/** Loads, stores, broadcasts, insertion and extraction, gathers and scatters. */
public final class MoveOps {
    // whole and masked vectors, single elements
    public static final Op VMOVUPS =
            op("vmovups", "V:AVX/E:AVX512F NP 0F W0 10 RM v v/m", "V:AVX/E:AVX512F NP 0F W0 11 MR m v");
    public static final Op VMOVUPD =
            op("vmovupd", "V:AVX/E:AVX512F 66 0F W01 10 RM v v/m", "V:AVX/E:AVX512F 66 0F W01 11 MR m v");
    public static final Op VMOVAPS =
            op("vmovaps", "V:AVX/E:AVX512F NP 0F W0 28 RM v v/m", "V:AVX/E:AVX512F NP 0F W0 29 MR m v");
    public static final Op VMOVAPD =
            op("vmovapd", "V:AVX/E:AVX512F 66 0F W01 28 RM v v/m", "V:AVX/E:AVX512F 66 0F W01 29 MR m v");
    public static final Op VMOVDQU = op("vmovdqu", "V:AVX F3 0F W0 6F RM v v/m", "V:AVX F3 0F W0 7F MR m v");
    public static final Op VMOVDQA = op("vmovdqa", "V:AVX 66 0F W0 6F RM v v/m", "V:AVX 66 0F W0 7F MR m v");
    public static final Op VMOVDQU8 =
            op("vmovdqu8", "E:AVX512BW F2 0F W0 6F RM v v/m", "E:AVX512BW F2 0F W0 7F MR m v");
    public static final Op VMOVDQU16 =
            op("vmovdqu16", "E:AVX512BW F2 0F W1 6F RM v v/m", "E:AVX512BW F2 0F W1 7F MR m v");
    public static final Op VMOVDQU32 =
            op("vmovdqu32", "E:AVX512F F3 0F W0 6F RM v v/m", "E:AVX512F F3 0F W0 7F MR m v");
    public static final Op VMOVDQU64 =
            op("vmovdqu64", "E:AVX512F F3 0F W1 6F RM v v/m", "E:AVX512F F3 0F W1 7F MR m v");
    public static final Op VMOVDQA32 =
            op("vmovdqa32", "E:AVX512F 66 0F W0 6F RM v v/m", "E:AVX512F 66 0F W0 7F MR m v");
    public static final Op VMOVDQA64 =
            op("vmovdqa64", "E:AVX512F 66 0F W1 6F RM v v/m", "E:AVX512F 66 0F W1 7F MR m v");
    public static final Op VMOVNTPS = op("vmovntps", "V:AVX/E:AVX512F NP 0F W0 2B MR m v nomask");
    public static final Op VMOVSS = op(
            "vmovss",
            "V:AVX/E:AVX512F F3 0F W0 10 RM x m4",
            "V:AVX/E:AVX512F F3 0F W0 11 MR m4 x",
            "V:AVX/E:AVX512F F3 0F W0 10 RVM x x x");
    public static final Op VMOVSD = op(
            "vmovsd",
            "V:AVX/E:AVX512F F2 0F W01 10 RM x m8",
            "V:AVX/E:AVX512F F2 0F W01 11 MR m8 x",
            "V:AVX/E:AVX512F F2 0F W01 10 RVM x x x");
    public static final Op VMOVD = op(
            "vmovd", "V:AVX/E:AVX512F 66 0F W0 6E RM x r4/m4 nomask", "V:AVX/E:AVX512F 66 0F W0 7E MR r4/m4 x nomask");
    public static final Op VMOVQ = op(
            "vmovq", "V:AVX/E:AVX512F 66 0F W1 6E RM x r8/m8 nomask", "V:AVX/E:AVX512F 66 0F W1 7E MR r8/m8 x nomask");
    public static final Op VMOVHPS = op("vmovhps", "V:AVX/E:AVX512F NP 0F W0 17 MR m8 x nomask");
    public static final Op VMASKMOVPS =
            op("vmaskmovps", "V:AVX 66 0F38 W0 2C RVM v v m", "V:AVX 66 0F38 W0 2E MVR m v v");
    public static final Op VMASKMOVPD =
            op("vmaskmovpd", "V:AVX 66 0F38 W0 2D RVM v v m", "V:AVX 66 0F38 W0 2F MVR m v v");
    public static final Op VPMASKMOVD =
            op("vpmaskmovd", "V:AVX2 66 0F38 W0 8C RVM v v m", "V:AVX2 66 0F38 W0 8E MVR m v v");
    public static final Op VPMASKMOVQ =
            op("vpmaskmovq", "V:AVX2 66 0F38 W1 8C RVM v v m", "V:AVX2 66 0F38 W1 8E MVR m v v");

    // one element or part to all
    public static final Op VBROADCASTSS = op("vbroadcastss", "V:AVX2/E:AVX512F 66 0F38 W0 18 RM v x/m4");
    public static final Op VBROADCASTSD = op("vbroadcastsd", "V:AVX2/E:AVX512F 66 0F38 W01 19 RM v x/m8 L256+");
    public static final Op VBROADCASTF128 = op("vbroadcastf128", "V:AVX 66 0F38 W0 1A RM v m16 L256");
    public static final Op VBROADCASTI128 = op("vbroadcasti128", "V:AVX2 66 0F38 W0 5A RM v m16 L256");
    public static final Op VBROADCASTF32X4 = op("vbroadcastf32x4", "E:AVX512F 66 0F38 W0 1A RM v m16 L256+");
    public static final Op VBROADCASTI32X4 = op("vbroadcasti32x4", "E:AVX512F 66 0F38 W0 5A RM v m16 L256+");
    public static final Op VBROADCASTF64X4 = op("vbroadcastf64x4", "E:AVX512F 66 0F38 W1 1B RM v m32 L512");
    public static final Op VPBROADCASTB =
            op("vpbroadcastb", "V:AVX2/E:AVX512BW 66 0F38 W0 78 RM v x/m1", "E:AVX512BW 66 0F38 W0 7A RM v r4");
    public static final Op VPBROADCASTW =
            op("vpbroadcastw", "V:AVX2/E:AVX512BW 66 0F38 W0 79 RM v x/m2", "E:AVX512BW 66 0F38 W0 7B RM v r4");
    public static final Op VPBROADCASTD =
            op("vpbroadcastd", "V:AVX2/E:AVX512F 66 0F38 W0 58 RM v x/m4", "E:AVX512F 66 0F38 W0 7C RM v r4");
    public static final Op VPBROADCASTQ =
            op("vpbroadcastq", "V:AVX2/E:AVX512F 66 0F38 W01 59 RM v x/m8", "E:AVX512F 66 0F38 W1 7C RM v r8");

    // parts and elements
    public static final Op VEXTRACTF128 = op("vextractf128", "V:AVX 66 0F3A W0 19 MRI x/m16 v i L256");
    public static final Op VEXTRACTI128 = op("vextracti128", "V:AVX2 66 0F3A W0 39 MRI x/m16 v i L256");
    public static final Op VEXTRACTF32X4 = op("vextractf32x4", "E:AVX512F 66 0F3A W0 19 MRI x/m16 v i L256+");
    public static final Op VEXTRACTI32X4 = op("vextracti32x4", "E:AVX512F 66 0F3A W0 39 MRI x/m16 v i L256+");
    public static final Op VEXTRACTF64X4 = op("vextractf64x4", "E:AVX512F 66 0F3A W1 1B MRI y/m32 v i L512");
    public static final Op VEXTRACTI64X4 = op("vextracti64x4", "E:AVX512F 66 0F3A W1 3B MRI y/m32 v i L512");
    public static final Op VEXTRACTF32X8 = op("vextractf32x8", "E:AVX512DQ 66 0F3A W0 1B MRI y/m32 v i L512");
    public static final Op VINSERTF128 = op("vinsertf128", "V:AVX 66 0F3A W0 18 RVMI v v x/m16 i L256");
    public static final Op VINSERTI128 = op("vinserti128", "V:AVX2 66 0F3A W0 38 RVMI v v x/m16 i L256");
    public static final Op VINSERTF32X4 = op("vinsertf32x4", "E:AVX512F 66 0F3A W0 18 RVMI v v x/m16 i L256+");
    public static final Op VINSERTI32X4 = op("vinserti32x4", "E:AVX512F 66 0F3A W0 38 RVMI v v x/m16 i L256+");
    public static final Op VINSERTF64X4 = op("vinsertf64x4", "E:AVX512F 66 0F3A W1 1A RVMI v v y/m32 i L512");
    public static final Op VINSERTI64X4 = op("vinserti64x4", "E:AVX512F 66 0F3A W1 3A RVMI v v y/m32 i L512");
    public static final Op VEXTRACTPS = op("vextractps", "V:AVX/E:AVX512F 66 0F3A W0 17 MRI r4/m4 x i nomask");
    public static final Op VINSERTPS = op("vinsertps", "V:AVX/E:AVX512F 66 0F3A W0 21 RVMI x x x/m4 i nomask");
    public static final Op VPEXTRB = op("vpextrb", "V:AVX/E:AVX512BW 66 0F3A W0 14 MRI r4/m1 x i nomask");
    public static final Op VPEXTRW = op(
            "vpextrw",
            "V:AVX/E:AVX512BW 66 0F3A W0 15 MRI m2 x i nomask",
            "V:AVX/E:AVX512BW 66 0F W0 C5 RMI r4 x i nomask");
    public static final Op VPEXTRD = op("vpextrd", "V:AVX/E:AVX512DQ 66 0F3A W0 16 MRI r4/m4 x i nomask");
    public static final Op VPEXTRQ = op("vpextrq", "V:AVX/E:AVX512DQ 66 0F3A W1 16 MRI r8/m8 x i nomask");
    public static final Op VPINSRB = op("vpinsrb", "V:AVX/E:AVX512BW 66 0F3A W0 20 RVMI x x r4/m1 i nomask");
    public static final Op VPINSRW = op("vpinsrw", "V:AVX/E:AVX512BW 66 0F W0 C4 RVMI x x r4/m2 i nomask");
    public static final Op VPINSRD = op("vpinsrd", "V:AVX/E:AVX512DQ 66 0F3A W0 22 RVMI x x r4/m4 i nomask");
    public static final Op VPINSRQ = op("vpinsrq", "V:AVX/E:AVX512DQ 66 0F3A W1 22 RVMI x x r8/m8 i nomask");

    // gathers and scatters
    public static final Op VGATHERDPS =
            op("vgatherdps", "V:AVX2 66 0F38 W0 92 RMV v g4 v", "E:AVX512F 66 0F38 W0 92 RM v g4");
    public static final Op VPGATHERDD =
            op("vpgatherdd", "V:AVX2 66 0F38 W0 90 RMV v g4 v", "E:AVX512F 66 0F38 W0 90 RM v g4");
    public static final Op VSCATTERDPS = op("vscatterdps", "E:AVX512F 66 0F38 W0 A2 MR g4 v");
    public static final Op VPSCATTERDD = op("vpscatterdd", "E:AVX512F 66 0F38 W0 A0 MR g4 v");

    private MoveOps() {}
}
