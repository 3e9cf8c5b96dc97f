package dev.millrace.codegen.asm;

import static dev.millrace.codegen.asm.Op.op;

/** Arithmetic, comparison and conversion of floating point vectors and scalars. */
public final class FloatOps {
    // arithmetic
    public static final Op VADDPS = op("vaddps", "V:AVX/E:AVX512F NP 0F W0 58 RVM v v v/m/b4");
    public static final Op VADDPD = op("vaddpd", "V:AVX/E:AVX512F 66 0F W01 58 RVM v v v/m/b8");
    public static final Op VADDSS = op("vaddss", "V:AVX/E:AVX512F F3 0F W0 58 RVM x x x/m4");
    public static final Op VADDSD = op("vaddsd", "V:AVX/E:AVX512F F2 0F W01 58 RVM x x x/m8");
    public static final Op VMULPS = op("vmulps", "V:AVX/E:AVX512F NP 0F W0 59 RVM v v v/m/b4");
    public static final Op VMULPD = op("vmulpd", "V:AVX/E:AVX512F 66 0F W01 59 RVM v v v/m/b8");
    public static final Op VMULSS = op("vmulss", "V:AVX/E:AVX512F F3 0F W0 59 RVM x x x/m4");
    public static final Op VMULSD = op("vmulsd", "V:AVX/E:AVX512F F2 0F W01 59 RVM x x x/m8");
    public static final Op VSUBPS = op("vsubps", "V:AVX/E:AVX512F NP 0F W0 5C RVM v v v/m/b4");
    public static final Op VSUBPD = op("vsubpd", "V:AVX/E:AVX512F 66 0F W01 5C RVM v v v/m/b8");
    public static final Op VSUBSS = op("vsubss", "V:AVX/E:AVX512F F3 0F W0 5C RVM x x x/m4");
    public static final Op VSUBSD = op("vsubsd", "V:AVX/E:AVX512F F2 0F W01 5C RVM x x x/m8");
    public static final Op VMINPS = op("vminps", "V:AVX/E:AVX512F NP 0F W0 5D RVM v v v/m/b4");
    public static final Op VMINPD = op("vminpd", "V:AVX/E:AVX512F 66 0F W01 5D RVM v v v/m/b8");
    public static final Op VMINSS = op("vminss", "V:AVX/E:AVX512F F3 0F W0 5D RVM x x x/m4");
    public static final Op VMINSD = op("vminsd", "V:AVX/E:AVX512F F2 0F W01 5D RVM x x x/m8");
    public static final Op VDIVPS = op("vdivps", "V:AVX/E:AVX512F NP 0F W0 5E RVM v v v/m/b4");
    public static final Op VDIVPD = op("vdivpd", "V:AVX/E:AVX512F 66 0F W01 5E RVM v v v/m/b8");
    public static final Op VDIVSS = op("vdivss", "V:AVX/E:AVX512F F3 0F W0 5E RVM x x x/m4");
    public static final Op VDIVSD = op("vdivsd", "V:AVX/E:AVX512F F2 0F W01 5E RVM x x x/m8");
    public static final Op VMAXPS = op("vmaxps", "V:AVX/E:AVX512F NP 0F W0 5F RVM v v v/m/b4");
    public static final Op VMAXPD = op("vmaxpd", "V:AVX/E:AVX512F 66 0F W01 5F RVM v v v/m/b8");
    public static final Op VMAXSS = op("vmaxss", "V:AVX/E:AVX512F F3 0F W0 5F RVM x x x/m4");
    public static final Op VMAXSD = op("vmaxsd", "V:AVX/E:AVX512F F2 0F W01 5F RVM x x x/m8");
    public static final Op VSQRTPS = op("vsqrtps", "V:AVX/E:AVX512F NP 0F W0 51 RM v v/m/b4");
    public static final Op VSQRTPD = op("vsqrtpd", "V:AVX/E:AVX512F 66 0F W01 51 RM v v/m/b8");
    public static final Op VSQRTSS = op("vsqrtss", "V:AVX/E:AVX512F F3 0F W0 51 RVM x x x/m4");
    public static final Op VRCPPS = op("vrcpps", "V:AVX NP 0F W0 53 RM v v/m");
    public static final Op VRSQRTPS = op("vrsqrtps", "V:AVX NP 0F W0 52 RM v v/m");
    public static final Op VRCP14PS = op("vrcp14ps", "E:AVX512F 66 0F38 W0 4C RM v v/m/b4");
    public static final Op VRSQRT14PS = op("vrsqrt14ps", "E:AVX512F 66 0F38 W0 4E RM v v/m/b4");
    public static final Op VHADDPS = op("vhaddps", "V:AVX F2 0F W0 7C RVM v v v/m");

    // logic
    public static final Op VANDPS = op("vandps", "V:AVX/E:AVX512DQ NP 0F W0 54 RVM v v v/m/b4");
    public static final Op VANDPD = op("vandpd", "V:AVX/E:AVX512DQ 66 0F W01 54 RVM v v v/m/b8");
    public static final Op VANDNPS = op("vandnps", "V:AVX/E:AVX512DQ NP 0F W0 55 RVM v v v/m/b4");
    public static final Op VANDNPD = op("vandnpd", "V:AVX/E:AVX512DQ 66 0F W01 55 RVM v v v/m/b8");
    public static final Op VORPS = op("vorps", "V:AVX/E:AVX512DQ NP 0F W0 56 RVM v v v/m/b4");
    public static final Op VORPD = op("vorpd", "V:AVX/E:AVX512DQ 66 0F W01 56 RVM v v v/m/b8");
    public static final Op VXORPS = op("vxorps", "V:AVX/E:AVX512DQ NP 0F W0 57 RVM v v v/m/b4");
    public static final Op VXORPD = op("vxorpd", "V:AVX/E:AVX512DQ 66 0F W01 57 RVM v v v/m/b8");

    // comparison and choice
    public static final Op VCMPPS =
            op("vcmpps", "V:AVX NP 0F W0 C2 RVMI v v v/m i", "E:AVX512F NP 0F W0 C2 RVMI k v v/m/b4 i");
    public static final Op VCMPPD =
            op("vcmppd", "V:AVX 66 0F W0 C2 RVMI v v v/m i", "E:AVX512F 66 0F W1 C2 RVMI k v v/m/b8 i");
    public static final Op VUCOMISS = op("vucomiss", "V:AVX/E:AVX512F NP 0F W0 2E RM x x/m4 nomask");
    public static final Op VUCOMISD = op("vucomisd", "V:AVX/E:AVX512F 66 0F W01 2E RM x x/m8 nomask");
    public static final Op VTESTPS = op("vtestps", "V:AVX 66 0F38 W0 0E RM v v/m");
    public static final Op VMOVMSKPS = op("vmovmskps", "V:AVX NP 0F W0 50 RM r4 v");
    public static final Op VMOVMSKPD = op("vmovmskpd", "V:AVX 66 0F W0 50 RM r4 v");
    public static final Op VFPCLASSPS = op("vfpclassps", "E:AVX512DQ 66 0F3A W0 66 RMI k v i");
    public static final Op VBLENDPS = op("vblendps", "V:AVX 66 0F3A W0 0C RVMI v v v/m i");
    public static final Op VBLENDPD = op("vblendpd", "V:AVX 66 0F3A W0 0D RVMI v v v/m i");
    public static final Op VBLENDVPS = op("vblendvps", "V:AVX 66 0F3A W0 4A RVMS v v v/m v");
    public static final Op VBLENDVPD = op("vblendvpd", "V:AVX 66 0F3A W0 4B RVMS v v v/m v");
    public static final Op VBLENDMPS = op("vblendmps", "E:AVX512F 66 0F38 W0 65 RVM v v v/m/b4");
    public static final Op VBLENDMPD = op("vblendmpd", "E:AVX512F 66 0F38 W1 65 RVM v v v/m/b8");

    // rounding and exponents
    public static final Op VROUNDPS = op("vroundps", "V:AVX 66 0F3A W0 08 RMI v v/m i");
    public static final Op VROUNDPD = op("vroundpd", "V:AVX 66 0F3A W0 09 RMI v v/m i");
    public static final Op VRNDSCALEPS = op("vrndscaleps", "E:AVX512F 66 0F3A W0 08 RMI v v/m/b4 i");
    public static final Op VRNDSCALEPD = op("vrndscalepd", "E:AVX512F 66 0F3A W1 09 RMI v v/m/b8 i");
    public static final Op VSCALEFPS = op("vscalefps", "E:AVX512F 66 0F38 W0 2C RVM v v v/m/b4");
    public static final Op VSCALEFPD = op("vscalefpd", "E:AVX512F 66 0F38 W1 2C RVM v v v/m/b8");
    public static final Op VGETEXPPS = op("vgetexpps", "E:AVX512F 66 0F38 W0 42 RM v v/m/b4");
    public static final Op VGETMANTPS = op("vgetmantps", "E:AVX512F 66 0F3A W0 26 RMI v v/m/b4 i");

    private FloatOps() {}
}
