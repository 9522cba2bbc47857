#if canImport(CryptoKit)
import CryptoKit
import Foundation

func sha256(_ bytes: [UInt8]) -> [UInt8] {
    Array(SHA256.hash(data: Data(bytes)))
}
#else
/// SHA-256 of FIPS 180-4, for systems whose libraries do not have it.
func sha256(_ bytes: [UInt8]) -> [UInt8] {
    var state = initialState
    let message = padded(bytes)
    for start in stride(from: 0, to: message.count, by: 64) {
        state = compressed(state, Array(message[start..<(start + 64)]))
    }
    return state.flatMap { bigEndian($0) }
}

/// To a multiple of 64 bytes: a bit, zeros, and the length in bits.
private func padded(_ bytes: [UInt8]) -> [UInt8] {
    var message = bytes + [0x80]
    while message.count % 64 != 56 { message.append(0) }
    return message + bigEndian(UInt64(bytes.count) * 8)
}

private func compressed(_ state: [UInt32], _ block: [UInt8]) -> [UInt32] {
    let words = schedule(of: block)
    var v = state
    for round in 0..<64 {
        let sum1 = rotated(v[4], 6) ^ rotated(v[4], 11) ^ rotated(v[4], 25)
        let choice = (v[4] & v[5]) ^ (~v[4] & v[6])
        let added = v[7] &+ sum1 &+ choice &+ roundConstants[round] &+ words[round]
        let sum0 = rotated(v[0], 2) ^ rotated(v[0], 13) ^ rotated(v[0], 22)
        let majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2])
        v = [added &+ sum0 &+ majority, v[0], v[1], v[2], v[3] &+ added, v[4], v[5], v[6]]
    }
    return zip(state, v).map { $0 &+ $1 }
}

private func schedule(of block: [UInt8]) -> [UInt32] {
    var words = [UInt32](repeating: 0, count: 64)
    for (index, byte) in block.enumerated() {
        words[index / 4] = (words[index / 4] << 8) | UInt32(byte)
    }
    for index in 16..<64 {
        let (early, late) = (words[index - 15], words[index - 2])
        let sigma0 = rotated(early, 7) ^ rotated(early, 18) ^ (early >> 3)
        let sigma1 = rotated(late, 17) ^ rotated(late, 19) ^ (late >> 10)
        words[index] = words[index - 16] &+ sigma0 &+ words[index - 7] &+ sigma1
    }
    return words
}

private func rotated(_ word: UInt32, _ bits: UInt32) -> UInt32 {
    (word >> bits) | (word << (32 - bits))
}

private func bigEndian<Word: FixedWidthInteger>(_ word: Word) -> [UInt8] {
    stride(from: Word.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> $0) }
}

private let initialState: [UInt32] = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
]

private let roundConstants: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
]
#endif
