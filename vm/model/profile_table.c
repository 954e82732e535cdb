/* profile_table.c: the one table of metrics: which of a profiler's figures become which of ours.
 *
 * A line says how a figure is made: of several lines of one figure the first whose metrics are all there serves.
 *
 *     32 * dram__sectors_read.sum            a count, or whatever has no unit
 *     byte:dram__bytes_read.sum              a metric whose unit the export says: byte, byte/s, s, hz or %
 *     us=dur                                 one of that unit where the export says none
 *     a + b - c / d                          terms; products and quotients inside them; names may have blanks
 *     a + b?                                 b counts if it is there (some term has to be)
 *     a | 8.0 8.9 | what it assumes          only for these compute capabilities; a note says what it assumes
 *
 * Names that end in _measured, or begin with _ and are shown to no one, are figures of lines above.  A figure that begins with % is a share, which is at most 1.
 * Sources: the metrics reference of Nsight Compute (sectors are 32 byte; a wavefront of shared memory is 128 byte; op
 * counts per thread with predicates on; a packed half instruction is two), nvprof's metrics (transactions of 32 byte),
 * the counters of ROCm (requests of 32, 64 and 128 byte; an MFMA "MOP" is 512 FLOP; 64 lanes a wavefront). */
#include <stddef.h>

#include "profile.h"

#define SASS(unit, op) unit "__sass_thread_inst_executed_op_" op "_pred_on.sum"
#define VECTOR(dtype, letter, once, fma) \
    { "work_measured.vector." dtype, once SASS("smsp", letter "add") " + " once SASS("smsp", letter "mul") " + " \
                                     fma SASS("smsp", letter "fma") }, \
    { "work_measured.vector." dtype, once SASS("sm", letter "add") " + " once SASS("sm", letter "mul") " + " \
                                     fma SASS("sm", letter "fma") }, \
    { "work_measured.vector." dtype, once SASS("smsp", letter "add") ".per_cycle_elapsed * cycles_measured + " \
                                     once SASS("smsp", letter "mul") ".per_cycle_elapsed * cycles_measured + " \
                                     fma SASS("smsp", letter "fma") ".per_cycle_elapsed * cycles_measured" }
#define MFMA(dtype, counter) { "work_measured.matrix." dtype, "512 * SQ_INSTS_VALU_MFMA_MOPS_" counter }
#define STEP " 7.0 7.2 | counts each matrix instruction as 512 FLOP, a step of HMMA.884"
#define HMMA " counts each matrix instruction as m16n8k16 (4096 FLOP), what mma.sync of two bytes compiles to"
#define IMMA " counts each integer matrix instruction as m16n8k32 (8192 op)"

const struct kci_p_made kci_p_table[] = {
    /* The order of these three is that of KCI_P_TIME and so on. */
    { "time_measured", "s:Avg" },
    { "time_measured", "ns=AverageNs" },
    { "time_measured", "s:gpu__time_duration.sum" },
    { "time_measured", "s:gpu__time_duration.avg" },
    { "time_measured", "s:gpu__time_duration.max" },
    { "time_measured", "s:gpu__time_active.avg" },
    { "time_measured", "s:gpu__time_active.sum" },
    { "time_measured", "s:Duration" },
    { "time_measured", "ns=DurationNs" },
    { "time_measured", "us=dur" },
    { "time_measured", "s=time" },
    { "time_measured", "s=time_s" },
    { "time_measured", "ms=time_ms" },
    { "time_measured", "us=time_us" },
    { "time_measured", "ns=time_ns" },
    { "ctas_measured", "launch__grid_size" },
    { "threads_measured", "launch__block_size" },
    /* In whole nanoseconds since the machine started: a second of them has no digit left for the difference. */
    { "_ns", "End_Timestamp - Start_Timestamp" },
    { "_ns", "EndNs - BeginNs" },
    { "time_measured", "_ns / 1e9" },
    { "start_measured", "Start_Timestamp / 1e9" },
    { "start_measured", "BeginNs / 1e9" },
    { "start_measured", "s:Start" },
    { "start_measured", "us=ts" },
    { "clock_measured", "hz:smsp__cycles_elapsed.avg.per_second" },
    { "clock_measured", "hz:sm__cycles_elapsed.avg.per_second" },
    { "clock_measured", "hz:gpc__cycles_elapsed.avg.per_second" },
    { "clock_measured", "hz:SM Frequency" },
    { "cycles_measured", "smsp__cycles_elapsed.avg" },
    { "cycles_measured", "sm__cycles_elapsed.avg" },
    { "cycles_measured", "sm__cycles_elapsed.max" },
    { "cycles_measured", "gpc__cycles_elapsed.max" },
    { "cycles_measured", "Elapsed Cycles" },
    { "cycles_measured", "GRBM_GUI_ACTIVE" },
    { "cycles_measured", "clock_measured * time_measured" },
    { "time_measured", "cycles_measured / clock_measured" },

    { "bytes_read_measured", "byte:dram__bytes_read.sum" },
    { "bytes_read_measured", "byte:dram__bytes_op_read.sum" },
    { "bytes_read_measured", "32 * dram__sectors_read.sum" },
    { "bytes_read_measured", "32 * dram__sectors_op_read.sum" },
    { "bytes_read_measured", "byte/s:dram__bytes_read.sum.per_second * time_measured" },
    { "bytes_read_measured", "byte/s:dram__bytes_op_read.sum.per_second * time_measured" },
    { "bytes_read_measured", "byte=dram_read_bytes" },
    { "bytes_read_measured", "32 * dram_read_transactions" },
    { "bytes_read_measured", "byte/s:dram_read_throughput * time_measured" },
    { "bytes_read_measured", "64 * TCC_EA0_RDREQ_sum + 64 * TCC_BUBBLE_sum - 32 * TCC_EA0_RDREQ_32B_sum" },
    { "bytes_read_measured", "64 * TCC_EA_RDREQ_sum - 32 * TCC_EA_RDREQ_32B_sum" },
    { "bytes_read_measured", "1024 * FETCH_SIZE" },
    { "bytes_read_measured", "1024 * FetchSize" },
    { "bytes_read_measured", "byte=bytes_read" },
    { "bytes_written_measured", "byte:dram__bytes_write.sum" },
    { "bytes_written_measured", "byte:dram__bytes_op_write.sum" },
    { "bytes_written_measured", "32 * dram__sectors_write.sum" },
    { "bytes_written_measured", "32 * dram__sectors_op_write.sum" },
    { "bytes_written_measured", "byte/s:dram__bytes_write.sum.per_second * time_measured" },
    { "bytes_written_measured", "byte/s:dram__bytes_op_write.sum.per_second * time_measured" },
    { "bytes_written_measured", "byte=dram_write_bytes" },
    { "bytes_written_measured", "32 * dram_write_transactions" },
    { "bytes_written_measured", "byte/s:dram_write_throughput * time_measured" },
    { "bytes_written_measured", "32 * TCC_EA0_WRREQ_sum + 32 * TCC_EA0_WRREQ_64B_sum" },
    { "bytes_written_measured", "32 * TCC_EA_WRREQ_sum + 32 * TCC_EA_WRREQ_64B_sum" },
    { "bytes_written_measured", "1024 * WRITE_SIZE" },
    { "bytes_written_measured", "1024 * WriteSize" },
    { "bytes_written_measured", "byte=bytes_written" },
    { "bytes_measured", "bytes_read_measured + bytes_written_measured" },
    { "bytes_measured", "byte:dram__bytes.sum" },
    { "bytes_measured", "32 * dram__sectors.sum" },
    { "bytes_measured", "byte/s:dram__bytes.sum.per_second * time_measured" },
    { "bytes_measured", "byte/s:Memory Throughput * time_measured" },
    { "bytes_measured", "byte=bytes" },

    { "l2_bytes_read_measured", "32 * lts__t_sectors_srcunit_tex_op_read.sum + 32 * lts__t_sectors_srcunit_tex_op_atom.sum?" },
    { "l2_bytes_read_measured", "32 * lts__t_sectors_op_read.sum + 32 * lts__t_sectors_op_atom.sum?" },
    { "l2_bytes_read_measured", "byte:l1tex__m_xbar2l1tex_read_bytes.sum" },
    { "l2_bytes_read_measured", "32 * l1tex__m_xbar2l1tex_read_sectors.sum" },
    { "l2_bytes_read_measured", "32 * l2_read_transactions" },
    { "l2_bytes_read_measured", "64 * TCP_TCC_READ_REQ_sum" },
    { "l2_bytes_written_measured", "32 * lts__t_sectors_srcunit_tex_op_write.sum + 32 * lts__t_sectors_srcunit_tex_op_red.sum?" },
    { "l2_bytes_written_measured", "32 * lts__t_sectors_op_write.sum + 32 * lts__t_sectors_op_red.sum?" },
    { "l2_bytes_written_measured", "byte:l1tex__m_l1tex2xbar_write_bytes.sum" },
    { "l2_bytes_written_measured", "32 * l2_write_transactions" },
    { "l2_bytes_written_measured", "64 * TCP_TCC_WRITE_REQ_sum" },
    { "l2_bytes_measured", "l2_bytes_read_measured + l2_bytes_written_measured" },
    { "l2_bytes_measured", "32 * lts__t_sectors_srcunit_tex.sum" },
    { "l2_bytes_measured", "byte:lts__t_bytes.sum" },
    { "l2_bytes_measured", "32 * lts__t_sectors.sum" },
    { "l2_bytes_measured", "byte/s:lts__t_bytes.sum.per_second * time_measured" },
    { "l2_bytes_measured", "128 * TCC_REQ_sum" },

    { "l1_bytes_read_measured", "32 * l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum" },
    { "l1_bytes_read_measured", "byte:l1tex__t_bytes_pipe_lsu_mem_global_op_ld.sum" },
    { "l1_bytes_read_measured", "32 * gld_transactions" },
    { "l1_bytes_written_measured", "32 * l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum" },
    { "l1_bytes_written_measured", "byte:l1tex__t_bytes_pipe_lsu_mem_global_op_st.sum" },
    { "l1_bytes_written_measured", "32 * gst_transactions" },
    { "l1_bytes_measured", "l1_bytes_read_measured + l1_bytes_written_measured" },
    { "l1_bytes_measured", "byte:l1tex__t_bytes.sum" },
    { "l1_bytes_measured", "64 * TCP_TOTAL_CACHE_ACCESSES_sum" },

    { "smem_bytes_measured", "128 * l1tex__data_pipe_lsu_wavefronts_mem_shared.sum" },
    { "smem_bytes_measured", "128 * l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"
                             " + 128 * l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum" },
    { "smem_bytes_measured", "128 * shared_load_transactions + 128 * shared_store_transactions" },
    { "smem_bytes_measured", "128 * SQ_LDS_IDX_ACTIVE - 128 * SQ_LDS_BANK_CONFLICT" },
    { "spill_bytes_measured", "32 * l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum"
                              " + 32 * l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum" },
    { "spill_bytes_measured", "byte:l1tex__t_bytes_pipe_lsu_mem_local_op_ld.sum"
                              " + byte:l1tex__t_bytes_pipe_lsu_mem_local_op_st.sum" },
    { "spill_bytes_measured", "32 * local_load_transactions + 32 * local_store_transactions" },

    VECTOR("f32", "f", "", "2 * "),
    { "work_measured.vector.f32", SASS("smsp", "fadd") ".per_cycle_elapsed * cycles_measured + "
                                  SASS("smsp", "fmul") ".per_cycle_elapsed * cycles_measured + "
                                  "derived__smsp__sass_thread_inst_executed_op_ffma_pred_on_x2 * cycles_measured" },
    { "work_measured.vector.f32", "flop_count_sp" },
    { "work_measured.vector.f32", "64 * SQ_INSTS_VALU_ADD_F32 + 64 * SQ_INSTS_VALU_MUL_F32 + 128 * SQ_INSTS_VALU_FMA_F32" },
    VECTOR("f64", "d", "", "2 * "),
    { "work_measured.vector.f64", SASS("smsp", "dadd") ".per_cycle_elapsed * cycles_measured + "
                                  SASS("smsp", "dmul") ".per_cycle_elapsed * cycles_measured + "
                                  "derived__smsp__sass_thread_inst_executed_op_dfma_pred_on_x2 * cycles_measured" },
    { "work_measured.vector.f64", "flop_count_dp" },
    { "work_measured.vector.f64", "64 * SQ_INSTS_VALU_ADD_F64 + 64 * SQ_INSTS_VALU_MUL_F64 + 128 * SQ_INSTS_VALU_FMA_F64" },
    VECTOR("f16", "h", "2 * ", "4 * "),
    { "work_measured.vector.f16", "flop_count_hp" },
    { "work_measured.vector.f16", "64 * SQ_INSTS_VALU_ADD_F16 + 64 * SQ_INSTS_VALU_MUL_F16 + 128 * SQ_INSTS_VALU_FMA_F16" },
    { "work_measured.matrix.f64", "sm__ops_path_tensor_src_fp64.sum" },
    { "work_measured.matrix.f64", "512 * sm__inst_executed_pipe_tensor_op_dmma.sum | 8.0 9.9 | counts each f64 "
      "matrix instruction as m8n8k4 (512 FLOP)" },
    MFMA("f64", "F64"),
    MFMA("f32", "F32"),
    { "work_measured.matrix.tf32", "sm__ops_path_tensor_src_tf32_dst_fp32.sum" },
    { "work_measured.matrix.tf32", "sm__ops_path_tensor_src_tf32_dst_fp32_sparsity_off.sum" },
    { "work_measured.matrix.bf16", "sm__ops_path_tensor_src_bf16_dst_fp32.sum" },
    { "work_measured.matrix.bf16", "sm__ops_path_tensor_src_bf16_dst_fp32_sparsity_off.sum" },
    MFMA("bf16", "BF16"),
    { "work_measured.matrix.f16", "sm__ops_path_tensor_src_fp16.sum" },
    { "work_measured.matrix.f16", "sm__ops_path_tensor_src_fp16_dst_fp32.sum? + sm__ops_path_tensor_src_fp16_dst_fp16.sum?" },
    { "work_measured.matrix.f16", "sm__ops_path_tensor_src_fp16_dst_fp32_sparsity_off.sum?"
                                  " + sm__ops_path_tensor_src_fp16_dst_fp16_sparsity_off.sum?" },
    { "work_measured.matrix.f16", "4096 * sm__inst_executed_pipe_tensor_op_hmma.sum | 8.0 8.9 |" HMMA },
    { "work_measured.matrix.f16", "4096 * sm__inst_executed_pipe_tensor_op_hmma.sum | 12.0 12.9 |" HMMA },
    { "work_measured.matrix.f16", "512 * sm__inst_executed_pipe_tensor_op_hmma.sum |" STEP },
    { "work_measured.matrix.f16", "512 * sm__inst_executed_pipe_tensor.sum |" STEP },
    { "work_measured.matrix.f16", "512 * smsp__inst_executed_pipe_tensor.sum |" STEP },
    MFMA("f16", "F16"),
    { "work_measured.matrix.f8", "sm__ops_path_tensor_src_fp8.sum" },
    { "work_measured.matrix.f8", "sm__ops_path_tensor_src_fp8_dst_fp32.sum? + sm__ops_path_tensor_src_fp8_dst_fp16.sum?" },
    { "work_measured.matrix.f8", "sm__ops_path_tensor_src_fp4_fp6_fp8_dst_fp32.sum" },
    MFMA("f8", "F8"),
    MFMA("f6", "F6F4"),
    { "work_measured.matrix.f4", "sm__ops_path_tensor_src_fp4_dst_fp32.sum" },
    { "work_measured.matrix.i8", "sm__ops_path_tensor_src_int8.sum" },
    { "work_measured.matrix.i8", "sm__ops_path_tensor_src_int8_dst_int32.sum" },
    { "work_measured.matrix.i8", "8192 * sm__inst_executed_pipe_tensor_op_imma.sum | 8.0 8.9 |" IMMA },
    MFMA("i8", "I8"),
    { "matrix_flops_measured", "work_measured.matrix.f64? + work_measured.matrix.f32? + work_measured.matrix.tf32?"
                               " + work_measured.matrix.bf16? + work_measured.matrix.f16? + work_measured.matrix.f8?"
                               " + work_measured.matrix.f6? + work_measured.matrix.f4? + work_measured.matrix.i8?" },
    { "vector_flops_measured", "work_measured.vector.f64? + work_measured.vector.f32? + work_measured.vector.f16?" },
    { "special_ops_measured", "32 * smsp__inst_executed_pipe_xu.sum" },
    { "special_ops_measured", "32 * sm__inst_executed_pipe_xu.sum" },
    { "special_ops_measured", "flop_count_sp_special" },
    { "special_ops_measured", "64 * SQ_INSTS_VALU_TRANS_F32 + 64 * SQ_INSTS_VALU_TRANS_F16?" },
    { "flops_measured", "matrix_flops_measured? + vector_flops_measured? + special_ops_measured?" },
    { "flops_measured", "flops" },
    { "flops_measured", "flop" },

    { "%occupancy_measured", "%:sm__warps_active.avg.pct_of_peak_sustained_active" },
    { "%occupancy_measured", "%:Achieved Occupancy" },
    { "%occupancy_measured", "%=est. achieved occupancy %" },
    { "%occupancy_measured", "est. achieved occupancy" },
    { "%occupancy_measured", "achieved_occupancy" },
    { "%occupancy_measured", "%=OccupancyPercent" },
    { "%l2_hit_rate_measured", "%:lts__t_sector_hit_rate.pct" },
    { "%l2_hit_rate_measured", "%:L2 Hit Rate" },
    { "%l2_hit_rate_measured", "%:l2_tex_hit_rate" },
    { "%l2_hit_rate_measured", "%=L2CacheHit" },
    { "%l1_hit_rate_measured", "%:l1tex__t_sector_hit_rate.pct" },
    { "%l1_hit_rate_measured", "%:L1/TEX Hit Rate" },
    { "%l1_hit_rate_measured", "%:tex_cache_hit_rate" },
    { "%compute_share_measured", "%:sm__throughput.avg.pct_of_peak_sustained_elapsed" },
    { "%compute_share_measured", "%:Compute (SM) Throughput" },
    { "%compute_share_measured", "%:Compute (SM) [%]" },
    { "%compute_share_measured", "%:SM [%]" },
    { "%matrix_share_measured", "%:sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed" },
    { "%matrix_share_measured", "%:sm__pipe_tensor_op_hmma_cycles_active.avg.pct_of_peak_sustained_elapsed" },
    { "%matrix_share_measured", "%:sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active" },
    { "%matrix_share_measured", "%:sm__pipe_tensor_op_hmma_cycles_active.avg.pct_of_peak_sustained_active" },
    { "%matrix_share_measured", "%:sm__inst_executed_pipe_tensor.avg.pct_of_peak_sustained_active" },
    { "%matrix_share_measured", "%=MfmaUtil" },
    { "%hbm_share_measured", "%:dram__throughput.avg.pct_of_peak_sustained_elapsed" },
    { "%hbm_share_measured", "%:gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed" },
    { "%hbm_share_measured", "%:DRAM Throughput" },
    { "%l2_share_measured", "%:lts__t_sectors.avg.pct_of_peak_sustained_elapsed" },
    { "%l2_share_measured", "%:lts__throughput.avg.pct_of_peak_sustained_elapsed" },
    { "%l2_share_measured", "%:L2 Cache Throughput" },
    { "sectors_per_load_measured", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
                                   " / l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum" },
    { "sectors_per_load_measured", "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio" },
    { "sectors_per_load_measured", "gld_transactions_per_request" },
    { "sectors_per_store_measured", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"
                                    " / l1tex__t_requests_pipe_lsu_mem_global_op_st.sum" },
    { "sectors_per_store_measured", "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio" },
    { "sectors_per_store_measured", "gst_transactions_per_request" },
    { "bank_conflicts_measured", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum" },
    { "bank_conflicts_measured", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"
                                 " + l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum" },
    { "bank_conflicts_measured", "SQ_LDS_BANK_CONFLICT" },
    { "lanes_measured", "smsp__thread_inst_executed_per_inst_executed.ratio" },
    { "waves_measured", "launch__waves_per_multiprocessor" },
    { "waves_measured", "Waves Per SM" },
    { "registers_measured", "launch__registers_per_thread" },
    { "registers_measured", "Registers Per Thread" },
    { "registers_measured", "Reg/Trd" },
    { "registers_measured", "VGPR_Count" },
    { "registers_measured", "Arch_VGPR" },
    { "register_bytes_measured", "4 * registers_measured * threads_measured" },
    { "smem_measured", "byte:launch__shared_mem_per_block_static + byte:launch__shared_mem_per_block_dynamic" },
    { "smem_measured", "byte:launch__shared_mem_per_block" },
    { "smem_measured", "byte:Static Shared Memory Per Block + byte:Dynamic Shared Memory Per Block" },
    { "smem_measured", "byte:Static SMem + byte:Dynamic SMem" },
    { "smem_measured", "byte:StcSMem + byte:DymSMem" },
    { "smem_measured", "byte=shared memory" },
    { "smem_measured", "byte=LDS_Block_Size" },
    { "smem_measured", "byte=LDS_Per_Workgroup" },
    { NULL, NULL },
};
