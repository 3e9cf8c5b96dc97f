package dev.millrace.codegen.asm;

import static dev.millrace.codegen.asm.Op.op;

/** Arithmetic, logic, shifts and comparison of integer vectors, and their conversions. */
public final class PackedOps {
    // arithmetic
    public static final Op VPADDB = op("vpaddb", "V:AVX2/E:AVX512BW 66 0F W0 FC RVM v v v/m");
    public static final Op VPADDSW = op("vpaddsw", "V:AVX2/E:AVX512BW 66 0F W0 ED RVM v v v/m");
    public static final Op VPADDW = op("vpaddw", "V:AVX2/E:AVX512BW 66 0F W0 FD RVM v v v/m");
    public static final Op VPADDD = op("vpaddd", "V:AVX2/E:AVX512F 66 0F W0 FE RVM v v v/m/b4");
    public static final Op VPADDQ = op("vpaddq", "V:AVX2/E:AVX512F 66 0F W01 D4 RVM v v v/m/b8");
    public static final Op VPSUBB = op("vpsubb", "V:AVX2/E:AVX512BW 66 0F W0 F8 RVM v v v/m");
    public static final Op VPSUBW = op("vpsubw", "V:AVX2/E:AVX512BW 66 0F W0 F9 RVM v v v/m");
    public static final Op VPSUBD = op("vpsubd", "V:AVX2/E:AVX512F 66 0F W0 FA RVM v v v/m/b4");
    public static final Op VPSUBQ = op("vpsubq", "V:AVX2/E:AVX512F 66 0F W01 FB RVM v v v/m/b8");
    public static final Op VPMULLD = op("vpmulld", "V:AVX2/E:AVX512F 66 0F38 W0 40 RVM v v v/m/b4");
    public static final Op VPMULLW = op("vpmullw", "V:AVX2/E:AVX512BW 66 0F W0 D5 RVM v v v/m");
    public static final Op VPMULHW = op("vpmulhw", "V:AVX2/E:AVX512BW 66 0F W0 E5 RVM v v v/m");
    public static final Op VPMULHUW = op("vpmulhuw", "V:AVX2/E:AVX512BW 66 0F W0 E4 RVM v v v/m");
    public static final Op VPMULHRSW = op("vpmulhrsw", "V:AVX2/E:AVX512BW 66 0F38 W0 0B RVM v v v/m");
    public static final Op VPMULUDQ = op("vpmuludq", "V:AVX2/E:AVX512F 66 0F W01 F4 RVM v v v/m/b8");
    public static final Op VPMULDQ = op("vpmuldq", "V:AVX2/E:AVX512F 66 0F38 W01 28 RVM v v v/m/b8");
    public static final Op VPMULLQ = op("vpmullq", "E:AVX512DQ 66 0F38 W1 40 RVM v v v/m/b8");
    public static final Op VPMADDWD = op("vpmaddwd", "V:AVX2/E:AVX512BW 66 0F W0 F5 RVM v v v/m");
    public static final Op VPMADDUBSW = op("vpmaddubsw", "V:AVX2/E:AVX512BW 66 0F38 W0 04 RVM v v v/m");
    public static final Op VPSADBW = op("vpsadbw", "V:AVX2/E:AVX512BW 66 0F W0 F6 RVM v v v/m nomask");
    public static final Op VPHADDD = op("vphaddd", "V:AVX2 66 0F38 W0 02 RVM v v v/m");

    // minimum, maximum, absolute value
    public static final Op VPMINSB = op("vpminsb", "V:AVX2/E:AVX512BW 66 0F38 W0 38 RVM v v v/m");
    public static final Op VPMAXSB = op("vpmaxsb", "V:AVX2/E:AVX512BW 66 0F38 W0 3C RVM v v v/m");
    public static final Op VPMINUB = op("vpminub", "V:AVX2/E:AVX512BW 66 0F W0 DA RVM v v v/m");
    public static final Op VPMAXUB = op("vpmaxub", "V:AVX2/E:AVX512BW 66 0F W0 DE RVM v v v/m");
    public static final Op VPMINSW = op("vpminsw", "V:AVX2/E:AVX512BW 66 0F W0 EA RVM v v v/m");
    public static final Op VPMAXSW = op("vpmaxsw", "V:AVX2/E:AVX512BW 66 0F W0 EE RVM v v v/m");
    public static final Op VPMINUW = op("vpminuw", "V:AVX2/E:AVX512BW 66 0F38 W0 3A RVM v v v/m");
    public static final Op VPMAXUW = op("vpmaxuw", "V:AVX2/E:AVX512BW 66 0F38 W0 3E RVM v v v/m");
    public static final Op VPMINSD = op("vpminsd", "V:AVX2/E:AVX512F 66 0F38 W0 39 RVM v v v/m/b4");
    public static final Op VPMAXSD = op("vpmaxsd", "V:AVX2/E:AVX512F 66 0F38 W0 3D RVM v v v/m/b4");
    public static final Op VPMINUD = op("vpminud", "V:AVX2/E:AVX512F 66 0F38 W0 3B RVM v v v/m/b4");
    public static final Op VPMAXUD = op("vpmaxud", "V:AVX2/E:AVX512F 66 0F38 W0 3F RVM v v v/m/b4");
    public static final Op VPMINSQ = op("vpminsq", "E:AVX512F 66 0F38 W1 39 RVM v v v/m/b8");
    public static final Op VPMAXSQ = op("vpmaxsq", "E:AVX512F 66 0F38 W1 3D RVM v v v/m/b8");
    public static final Op VPABSB = op("vpabsb", "V:AVX2/E:AVX512BW 66 0F38 W0 1C RM v v/m");
    public static final Op VPABSW = op("vpabsw", "V:AVX2/E:AVX512BW 66 0F38 W0 1D RM v v/m");
    public static final Op VPABSD = op("vpabsd", "V:AVX2/E:AVX512F 66 0F38 W0 1E RM v v/m/b4");

    // logic
    public static final Op VPAND = op("vpand", "V:AVX2 66 0F W0 DB RVM v v v/m");
    public static final Op VPANDD = op("vpandd", "E:AVX512F 66 0F W0 DB RVM v v v/m/b4");
    public static final Op VPANDQ = op("vpandq", "E:AVX512F 66 0F W1 DB RVM v v v/m/b8");
    public static final Op VPANDN = op("vpandn", "V:AVX2 66 0F W0 DF RVM v v v/m");
    public static final Op VPANDND = op("vpandnd", "E:AVX512F 66 0F W0 DF RVM v v v/m/b4");
    public static final Op VPANDNQ = op("vpandnq", "E:AVX512F 66 0F W1 DF RVM v v v/m/b8");
    public static final Op VPOR = op("vpor", "V:AVX2 66 0F W0 EB RVM v v v/m");
    public static final Op VPORD = op("vpord", "E:AVX512F 66 0F W0 EB RVM v v v/m/b4");
    public static final Op VPORQ = op("vporq", "E:AVX512F 66 0F W1 EB RVM v v v/m/b8");
    public static final Op VPXOR = op("vpxor", "V:AVX2 66 0F W0 EF RVM v v v/m");
    public static final Op VPXORD = op("vpxord", "E:AVX512F 66 0F W0 EF RVM v v v/m/b4");
    public static final Op VPXORQ = op("vpxorq", "E:AVX512F 66 0F W1 EF RVM v v v/m/b8");
    public static final Op VPTERNLOGD = op("vpternlogd", "E:AVX512F 66 0F3A W0 25 RVMI v v v/m/b4 i");
    public static final Op VPTERNLOGQ = op("vpternlogq", "E:AVX512F 66 0F3A W1 25 RVMI v v v/m/b8 i");
    public static final Op VPTEST = op("vptest", "V:AVX 66 0F38 W0 17 RM v v/m");

    // shifts
    public static final Op VPSLLW =
            op("vpsllw", "V:AVX2/E:AVX512BW 66 0F W0 71/6 VMI v v i", "V:AVX2/E:AVX512BW 66 0F W0 F1 RVM v v x/m16");
    public static final Op VPSLLD =
            op("vpslld", "V:AVX2/E:AVX512F 66 0F W0 72/6 VMI v v i", "V:AVX2/E:AVX512F 66 0F W0 F2 RVM v v x/m16");
    public static final Op VPSLLQ =
            op("vpsllq", "V:AVX2/E:AVX512F 66 0F W01 73/6 VMI v v i", "V:AVX2/E:AVX512F 66 0F W01 F3 RVM v v x/m16");
    public static final Op VPSRLW =
            op("vpsrlw", "V:AVX2/E:AVX512BW 66 0F W0 71/2 VMI v v i", "V:AVX2/E:AVX512BW 66 0F W0 D1 RVM v v x/m16");
    public static final Op VPSRLD =
            op("vpsrld", "V:AVX2/E:AVX512F 66 0F W0 72/2 VMI v v i", "V:AVX2/E:AVX512F 66 0F W0 D2 RVM v v x/m16");
    public static final Op VPSRLQ =
            op("vpsrlq", "V:AVX2/E:AVX512F 66 0F W01 73/2 VMI v v i", "V:AVX2/E:AVX512F 66 0F W01 D3 RVM v v x/m16");
    public static final Op VPSRAW =
            op("vpsraw", "V:AVX2/E:AVX512BW 66 0F W0 71/4 VMI v v i", "V:AVX2/E:AVX512BW 66 0F W0 E1 RVM v v x/m16");
    public static final Op VPSRAD =
            op("vpsrad", "V:AVX2/E:AVX512F 66 0F W0 72/4 VMI v v i", "V:AVX2/E:AVX512F 66 0F W0 E2 RVM v v x/m16");
    public static final Op VPSRAQ =
            op("vpsraq", "E:AVX512F 66 0F W1 72/4 VMI v v/m/b8 i", "E:AVX512F 66 0F W1 E2 RVM v v x/m16");
    public static final Op VPSLLDQ = op("vpslldq", "V:AVX2/E:AVX512BW 66 0F W0 73/7 VMI v v i nomask");
    public static final Op VPSRLDQ = op("vpsrldq", "V:AVX2/E:AVX512BW 66 0F W0 73/3 VMI v v i nomask");
    public static final Op VPSLLVD = op("vpsllvd", "V:AVX2/E:AVX512F 66 0F38 W0 47 RVM v v v/m/b4");
    public static final Op VPSRLVD = op("vpsrlvd", "V:AVX2/E:AVX512F 66 0F38 W0 45 RVM v v v/m/b4");
    public static final Op VPSRAVD = op("vpsravd", "V:AVX2/E:AVX512F 66 0F38 W0 46 RVM v v v/m/b4");
    public static final Op VPSLLVQ = op("vpsllvq", "V:AVX2/E:AVX512F 66 0F38 W1 47 RVM v v v/m/b8");
    public static final Op VPSRLVQ = op("vpsrlvq", "V:AVX2/E:AVX512F 66 0F38 W1 45 RVM v v v/m/b8");
    public static final Op VPSRAVQ = op("vpsravq", "E:AVX512F 66 0F38 W1 46 RVM v v v/m/b8");
    public static final Op VPSLLVW = op("vpsllvw", "E:AVX512BW 66 0F38 W1 12 RVM v v v/m");
    public static final Op VPSRLVW = op("vpsrlvw", "E:AVX512BW 66 0F38 W1 10 RVM v v v/m");
    public static final Op VPSRAVW = op("vpsravw", "E:AVX512BW 66 0F38 W1 11 RVM v v v/m");

    // comparison
    public static final Op VPCMPEQB =
            op("vpcmpeqb", "V:AVX2 66 0F W0 74 RVM v v v/m", "E:AVX512BW 66 0F W0 74 RVM k v v/m");
    public static final Op VPCMPEQW =
            op("vpcmpeqw", "V:AVX2 66 0F W0 75 RVM v v v/m", "E:AVX512BW 66 0F W0 75 RVM k v v/m");
    public static final Op VPCMPEQD =
            op("vpcmpeqd", "V:AVX2 66 0F W0 76 RVM v v v/m", "E:AVX512F 66 0F W0 76 RVM k v v/m/b4");
    public static final Op VPCMPEQQ =
            op("vpcmpeqq", "V:AVX2 66 0F38 W0 29 RVM v v v/m", "E:AVX512F 66 0F38 W1 29 RVM k v v/m/b8");
    public static final Op VPCMPGTB =
            op("vpcmpgtb", "V:AVX2 66 0F W0 64 RVM v v v/m", "E:AVX512BW 66 0F W0 64 RVM k v v/m");
    public static final Op VPCMPGTW =
            op("vpcmpgtw", "V:AVX2 66 0F W0 65 RVM v v v/m", "E:AVX512BW 66 0F W0 65 RVM k v v/m");
    public static final Op VPCMPGTD =
            op("vpcmpgtd", "V:AVX2 66 0F W0 66 RVM v v v/m", "E:AVX512F 66 0F W0 66 RVM k v v/m/b4");
    public static final Op VPCMPGTQ =
            op("vpcmpgtq", "V:AVX2 66 0F38 W0 37 RVM v v v/m", "E:AVX512F 66 0F38 W1 37 RVM k v v/m/b8");
    public static final Op VPCMPB = op("vpcmpb", "E:AVX512BW 66 0F3A W0 3F RVMI k v v/m i");
    public static final Op VPCMPUB = op("vpcmpub", "E:AVX512BW 66 0F3A W0 3E RVMI k v v/m i");
    public static final Op VPCMPW = op("vpcmpw", "E:AVX512BW 66 0F3A W1 3F RVMI k v v/m i");
    public static final Op VPCMPUW = op("vpcmpuw", "E:AVX512BW 66 0F3A W1 3E RVMI k v v/m i");
    public static final Op VPCMPD = op("vpcmpd", "E:AVX512F 66 0F3A W0 1F RVMI k v v/m/b4 i");
    public static final Op VPCMPUD = op("vpcmpud", "E:AVX512F 66 0F3A W0 1E RVMI k v v/m/b4 i");
    public static final Op VPCMPQ = op("vpcmpq", "E:AVX512F 66 0F3A W1 1F RVMI k v v/m/b8 i");
    public static final Op VPMOVMSKB = op("vpmovmskb", "V:AVX2 66 0F W0 D7 RM r4 v");

    // widening and narrowing
    public static final Op VPMOVSXBW = op("vpmovsxbw", "V:AVX2/E:AVX512BW 66 0F38 W0 20 RM v h/m");
    public static final Op VPMOVSXBD = op("vpmovsxbd", "V:AVX2/E:AVX512F 66 0F38 W0 21 RM v q/m");
    public static final Op VPMOVSXBQ = op("vpmovsxbq", "V:AVX2/E:AVX512F 66 0F38 W0 22 RM v e/m");
    public static final Op VPMOVSXWD = op("vpmovsxwd", "V:AVX2/E:AVX512F 66 0F38 W0 23 RM v h/m");
    public static final Op VPMOVSXWQ = op("vpmovsxwq", "V:AVX2/E:AVX512F 66 0F38 W0 24 RM v q/m");
    public static final Op VPMOVSXDQ = op("vpmovsxdq", "V:AVX2/E:AVX512F 66 0F38 W0 25 RM v h/m");
    public static final Op VPMOVZXBW = op("vpmovzxbw", "V:AVX2/E:AVX512BW 66 0F38 W0 30 RM v h/m");
    public static final Op VPMOVZXBD = op("vpmovzxbd", "V:AVX2/E:AVX512F 66 0F38 W0 31 RM v q/m");
    public static final Op VPMOVZXBQ = op("vpmovzxbq", "V:AVX2/E:AVX512F 66 0F38 W0 32 RM v e/m");
    public static final Op VPMOVZXWD = op("vpmovzxwd", "V:AVX2/E:AVX512F 66 0F38 W0 33 RM v h/m");
    public static final Op VPMOVZXWQ = op("vpmovzxwq", "V:AVX2/E:AVX512F 66 0F38 W0 34 RM v q/m");
    public static final Op VPMOVZXDQ = op("vpmovzxdq", "V:AVX2/E:AVX512F 66 0F38 W0 35 RM v h/m");
    public static final Op VPMOVWB = op("vpmovwb", "E:AVX512BW F3 0F38 W0 30 MR h/m v");
    public static final Op VPMOVSWB = op("vpmovswb", "E:AVX512BW F3 0F38 W0 20 MR h/m v");
    public static final Op VPMOVUSWB = op("vpmovuswb", "E:AVX512BW F3 0F38 W0 10 MR h/m v");
    public static final Op VPMOVDB = op("vpmovdb", "E:AVX512F F3 0F38 W0 31 MR q/m v");
    public static final Op VPMOVSDB = op("vpmovsdb", "E:AVX512F F3 0F38 W0 21 MR q/m v");
    public static final Op VPMOVUSDB = op("vpmovusdb", "E:AVX512F F3 0F38 W0 11 MR q/m v");
    public static final Op VPMOVDW = op("vpmovdw", "E:AVX512F F3 0F38 W0 33 MR h/m v");
    public static final Op VPMOVSDW = op("vpmovsdw", "E:AVX512F F3 0F38 W0 23 MR h/m v");
    public static final Op VPMOVUSDW = op("vpmovusdw", "E:AVX512F F3 0F38 W0 13 MR h/m v");
    public static final Op VPMOVQD = op("vpmovqd", "E:AVX512F F3 0F38 W0 35 MR h/m v");

    // products of four bytes or two words
    public static final Op VPDPBUSD = op("vpdpbusd", "E:AVX512_VNNI/V:AVX_VNNI 66 0F38 W0 50 RVM v v v/m/b4");
    public static final Op VPDPBUSDS = op("vpdpbusds", "E:AVX512_VNNI/V:AVX_VNNI 66 0F38 W0 51 RVM v v v/m/b4");
    public static final Op VPDPWSSD = op("vpdpwssd", "E:AVX512_VNNI/V:AVX_VNNI 66 0F38 W0 52 RVM v v v/m/b4");
    public static final Op VPDPWSSDS = op("vpdpwssds", "E:AVX512_VNNI/V:AVX_VNNI 66 0F38 W0 53 RVM v v v/m/b4");

    private PackedOps() {}
}
