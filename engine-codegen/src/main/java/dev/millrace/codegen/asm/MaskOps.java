package dev.millrace.codegen.asm;

import static dev.millrace.codegen.asm.Op.op;

/** Instructions on the mask registers of AVX-512. */
public final class MaskOps {
    // moves
    public static final Op KMOVB = op(
            "kmovb",
            "V:AVX512DQ 66 0F W0 90 RM k k/m1",
            "V:AVX512DQ 66 0F W0 91 MR m1 k",
            "V:AVX512DQ 66 0F W0 92 RM k r4",
            "V:AVX512DQ 66 0F W0 93 RM r4 k");
    public static final Op KMOVW = op(
            "kmovw",
            "V:AVX512F NP 0F W0 90 RM k k/m2",
            "V:AVX512F NP 0F W0 91 MR m2 k",
            "V:AVX512F NP 0F W0 92 RM k r4",
            "V:AVX512F NP 0F W0 93 RM r4 k");
    public static final Op KMOVD = op(
            "kmovd",
            "V:AVX512BW 66 0F W1 90 RM k k/m4",
            "V:AVX512BW 66 0F W1 91 MR m4 k",
            "V:AVX512BW F2 0F W0 92 RM k r4",
            "V:AVX512BW F2 0F W0 93 RM r4 k");
    public static final Op KMOVQ = op(
            "kmovq",
            "V:AVX512BW NP 0F W1 90 RM k k/m8",
            "V:AVX512BW NP 0F W1 91 MR m8 k",
            "V:AVX512BW F2 0F W1 92 RM k r8",
            "V:AVX512BW F2 0F W1 93 RM r8 k");

    // logic
    public static final Op KANDB = op("kandb", "V:AVX512DQ 66 0F W0 41 RVM k k k L256");
    public static final Op KANDW = op("kandw", "V:AVX512F NP 0F W0 41 RVM k k k L256");
    public static final Op KANDNW = op("kandnw", "V:AVX512F NP 0F W0 42 RVM k k k L256");
    public static final Op KORW = op("korw", "V:AVX512F NP 0F W0 45 RVM k k k L256");
    public static final Op KXNORW = op("kxnorw", "V:AVX512F NP 0F W0 46 RVM k k k L256");
    public static final Op KXORW = op("kxorw", "V:AVX512F NP 0F W0 47 RVM k k k L256");
    public static final Op KNOTW = op("knotw", "V:AVX512F NP 0F W0 44 RM k k");
    public static final Op KANDD = op("kandd", "V:AVX512BW 66 0F W1 41 RVM k k k L256");
    public static final Op KORD = op("kord", "V:AVX512BW 66 0F W1 45 RVM k k k L256");
    public static final Op KNOTD = op("knotd", "V:AVX512BW 66 0F W1 44 RM k k");
    public static final Op KANDQ = op("kandq", "V:AVX512BW NP 0F W1 41 RVM k k k L256");
    public static final Op KORQ = op("korq", "V:AVX512BW NP 0F W1 45 RVM k k k L256");
    public static final Op KXNORQ = op("kxnorq", "V:AVX512BW NP 0F W1 46 RVM k k k L256");
    public static final Op KNOTQ = op("knotq", "V:AVX512BW NP 0F W1 44 RM k k");
    public static final Op KUNPCKBW = op("kunpckbw", "V:AVX512F 66 0F W0 4B RVM k k k L256");

    // tests and shifts
    public static final Op KORTESTW = op("kortestw", "V:AVX512F NP 0F W0 98 RM k k");
    public static final Op KORTESTD = op("kortestd", "V:AVX512BW 66 0F W1 98 RM k k");
    public static final Op KORTESTQ = op("kortestq", "V:AVX512BW NP 0F W1 98 RM k k");
    public static final Op KTESTW = op("ktestw", "V:AVX512DQ NP 0F W0 99 RM k k");
    public static final Op KADDW = op("kaddw", "V:AVX512DQ NP 0F W0 4A RVM k k k L256");
    public static final Op KSHIFTRW = op("kshiftrw", "V:AVX512F 66 0F3A W1 30 RMI k k i");
    public static final Op KSHIFTLW = op("kshiftlw", "V:AVX512F 66 0F3A W1 32 RMI k k i");
    public static final Op KSHIFTRD = op("kshiftrd", "V:AVX512BW 66 0F3A W0 31 RMI k k i");
    public static final Op KSHIFTRQ = op("kshiftrq", "V:AVX512BW 66 0F3A W1 31 RMI k k i");

    // between masks and vectors
    public static final Op VPMOVM2B = op("vpmovm2b", "E:AVX512BW F3 0F38 W0 28 RM v k nomask");
    public static final Op VPMOVM2W = op("vpmovm2w", "E:AVX512BW F3 0F38 W1 28 RM v k nomask");
    public static final Op VPMOVM2D = op("vpmovm2d", "E:AVX512DQ F3 0F38 W0 38 RM v k nomask");
    public static final Op VPMOVM2Q = op("vpmovm2q", "E:AVX512DQ F3 0F38 W1 38 RM v k nomask");
    public static final Op VPMOVB2M = op("vpmovb2m", "E:AVX512BW F3 0F38 W0 29 RM k v nomask");
    public static final Op VPMOVW2M = op("vpmovw2m", "E:AVX512BW F3 0F38 W1 29 RM k v nomask");
    public static final Op VPMOVD2M = op("vpmovd2m", "E:AVX512DQ F3 0F38 W0 39 RM k v nomask");
    public static final Op VPMOVQ2M = op("vpmovq2m", "E:AVX512DQ F3 0F38 W1 39 RM k v nomask");
    public static final Op VPTESTMB = op("vptestmb", "E:AVX512BW 66 0F38 W0 26 RVM k v v/m");
    public static final Op VPTESTMD = op("vptestmd", "E:AVX512F 66 0F38 W0 27 RVM k v v/m/b4");
    public static final Op VPTESTNMD = op("vptestnmd", "E:AVX512F F3 0F38 W0 27 RVM k v v/m/b4");

    private MaskOps() {}
}
