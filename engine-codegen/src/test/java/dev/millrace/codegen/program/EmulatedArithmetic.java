package dev.millrace.codegen.program;

/**
 * The results of vector instructions according to the processor's manual; deliberately independent of the interpreter.
 */
final class EmulatedArithmetic {
    int compare(String name, int predicate, int[] a, int[] b) {
        int mask = 0;
        for (int i = 0; i < a.length; i++) {
            boolean holds = switch (name) {
                case "vpcmpeqd" -> a[i] == b[i];
                case "vpcmpgtd" -> a[i] > b[i];
                case "vcmpps" -> holds(predicate, Float.intBitsToFloat(a[i]), Float.intBitsToFloat(b[i]));
                default -> throw new AssertionError(name);
            };
            mask |= holds ? 1 << i : 0;
        }
        return mask;
    }

    /** Compares pairs of lanes and returns a bit for each. */
    int comparePairs(String name, int predicate, int[] a, int[] b) {
        int mask = 0;
        for (int i = 0; i < a.length; i += 2) {
            long x = pair(a, i);
            long y = pair(b, i);
            boolean holds = switch (name) {
                case "vpcmpeqq" -> x == y;
                case "vpcmpgtq" -> x > y;
                case "vcmppd" -> holds(predicate, Double.longBitsToDouble(x), Double.longBitsToDouble(y));
                default -> throw new AssertionError(name);
            };
            mask |= holds ? 1 << i / 2 : 0;
        }
        return mask;
    }

    private static long pair(int[] words, int at) {
        return (long) words[at + 1] << 32 | words[at] & 0xffffffffL;
    }

    private static int[] computePairs(String name, int[] a, int[] b) {
        int[] result = new int[a.length];
        for (int i = 0; i < a.length; i += 2) {
            long x = pair(a, i);
            long y = pair(b, i);
            long z = switch (name) {
                case "vpaddq" -> x + y;
                case "vpsubq" -> x - y;
                case "vpmuludq" -> (x & 0xffffffffL) * (y & 0xffffffffL);
                default ->
                    Double.doubleToRawLongBits(doubles(name, Double.longBitsToDouble(x), Double.longBitsToDouble(y)));
            };
            result[i] = (int) z;
            result[i + 1] = (int) (z >>> 32);
        }
        return result;
    }

    private static double doubles(String name, double a, double b) {
        return switch (name) {
            case "vaddpd" -> a + b;
            case "vsubpd" -> a - b;
            case "vmulpd" -> a * b;
            case "vdivpd" -> a / b;
            case "vminpd" -> a < b ? a : b;
            case "vmaxpd" -> a > b ? a : b;
            default -> throw new AssertionError(name);
        };
    }

    private static boolean holds(int predicate, double x, double y) {
        boolean unordered = Double.isNaN(x) || Double.isNaN(y);
        return switch (predicate) {
            case 0x00 -> !unordered && x == y;
            case 0x03 -> unordered;
            case 0x04 -> unordered || x != y;
            case 0x11 -> !unordered && x < y;
            case 0x12 -> !unordered && x <= y;
            case 0x1d -> !unordered && x >= y;
            case 0x1e -> !unordered && x > y;
            default -> throw new AssertionError("predicate " + predicate);
        };
    }

    int[] compute(String name, int[] to, int[] a, int[] b, int immediate) {
        switch (name) {
            case "vpaddq", "vpsubq", "vpmuludq", "vaddpd", "vsubpd", "vmulpd", "vdivpd", "vminpd", "vmaxpd" -> {
                return computePairs(name, a, b);
            }
            default -> {}
        }
        int[] result = new int[a.length];
        for (int i = 0; i < a.length; i++) {
            int block = i & -4;
            boolean odd = i % 2 != 0;
            result[i] = switch (name) {
                case "vshuff32x4" -> (i < 8 ? a : b)[4 * (immediate >> 2 * (i / 4) & 3) + i % 4];
                case "vpermilps" -> a[block + (immediate >> 2 * (i % 4) & 3)];
                case "vpermps" -> b[a[i] & 15];
                case "vshufps" -> (i % 4 < 2 ? a : b)[block + (immediate >> 2 * (i % 4) & 3)];
                case "vunpcklps" -> (odd ? b : a)[block + i % 4 / 2];
                case "vunpckhps" -> (odd ? b : a)[block + 2 + i % 4 / 2];
                case "vunpcklpd" -> (i % 4 < 2 ? a : b)[block + i % 2];
                case "vunpckhpd" -> (i % 4 < 2 ? a : b)[block + 2 + i % 2];
                case "vpackssdw", "vpackuswb", "vpacksswb" ->
                    EmulatedPacks.lane(name, i % 4 < 2 ? a : b, block + i % 2 * 2);
                case "vinsertf64x4" -> i < 8 ? a[i] : b[i - 8];
                case "vextractf64x4" -> a[i % 8 + 8];
                case "vextractf32x4" -> a[i % 4 + 4 * immediate];
                case "vcvtpd2ps" -> i < 8 ? toFloat(a[2 * i], a[2 * i + 1]) : 0;
                case "vcvtps2pd" -> halfOfDouble(Float.intBitsToFloat(a[i / 2]), odd);
                default -> lane(name, to[i], a[i], b[i], immediate);
            };
        }
        return result;
    }

    private static int toFloat(int low, int high) {
        return Float.floatToRawIntBits((float) Double.longBitsToDouble((long) high << 32 | low & 0xffffffffL));
    }

    private static int halfOfDouble(double x, boolean upper) {
        return (int) (Double.doubleToRawLongBits(x) >>> (upper ? 32 : 0));
    }

    private static int lane(String name, int to, int a, int b, int immediate) {
        return switch (name) {
            case "vmovups", "vmovupd", "vmovaps", "vmovntps" -> a;
            case "vpandd" -> a & b;
            case "vpord" -> a | b;
            case "vpxord" -> a ^ b;
            case "vpaddd" -> a + b;
            case "vpaddw" -> a + b & 0xffff | (a & 0xffff0000) + (b & 0xffff0000);
            case "vpaddsw" -> EmulatedPacks.sums(a, b);
            case "vpsubd" -> a - b;
            case "vpslld" -> a << immediate;
            case "vpsrld" -> a >>> immediate;
            case "vpsrad" -> a >> immediate;
            case "vpmulld" -> (int) ((long) a * b);
            case "vpminsd" -> Math.min(a, b);
            case "vpmaxsd" -> Math.max(a, b);
            case "vpmaddwd", "vpmaddubsw", "vpdpbusd", "vdpbf16ps" -> EmulatedProducts.lane(name, to, a, b);
            case "vcvtps2dq" -> toInt(Float.intBitsToFloat(a));
            case "vcvtdq2ps" -> Float.floatToRawIntBits(a);
            default ->
                Float.floatToRawIntBits(floats(
                        name, Float.intBitsToFloat(to), Float.intBitsToFloat(a), Float.intBitsToFloat(b), immediate));
        };
    }

    private static int toInt(float value) {
        double nearest = Math.rint(value);
        return Math.abs(nearest) < 0x1p31 ? (int) nearest : 0x80000000;
    }

    private static float floats(String name, float to, float a, float b, int immediate) {
        return switch (name) {
            case "vaddps" -> a + b;
            case "vsubps" -> a - b;
            case "vmulps" -> a * b;
            case "vdivps" -> a / b;
            case "vminps" -> a < b ? a : b;
            case "vmaxps" -> a > b ? a : b;
            case "vsqrtps" -> (float) Math.sqrt(a);
            case "vrndscaleps" -> round(a, immediate);
            case "vscalefps" -> (float) (a * Math.pow(2, Math.floor(b)));
            case "vfmadd231ps" -> Math.fma(a, b, to);
            case "vfmadd213ps" -> Math.fma(a, to, b);
            case "vfmadd132ps" -> Math.fma(to, b, a);
            case "vfnmadd231ps" -> Math.fma(-a, b, to);
            case "vfnmadd213ps" -> Math.fma(-a, to, b);
            case "vfnmadd132ps" -> Math.fma(-to, b, a);
            default -> throw new AssertionError(name);
        };
    }

    private static float round(float value, int immediate) {
        return switch (immediate) {
            case 8 -> (float) Math.rint(value);
            case 9 -> (float) Math.floor(value);
            case 10 -> (float) Math.ceil(value);
            case 11 -> Math.copySign((float) Math.floor(Math.abs(value)), value);
            default -> throw new AssertionError("rounding " + immediate);
        };
    }
}
