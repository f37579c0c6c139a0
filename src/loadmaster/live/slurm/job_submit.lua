-- Holds each job that loadmaster can place as it is submitted, as long as loadmaster is alive.
-- It fails open: without a fresh heartbeat jobs go to Slurm's own scheduler as ever.
local HEARTBEAT = "@HEARTBEAT@"
local PATIENCE_S = @PATIENCE_S@
local OPERATOR = @OPERATOR@
local PARTITIONS = {@PARTITIONS@}
local OURS, USERS = "loadmaster", "loadmaster:user"
local UNCHANGED = 4294967294

local function alive()
  local file = io.open(HEARTBEAT, "r")
  if file == nil then return false end
  local beat = tonumber(file:read("*l") or "")
  file:close()
  return beat ~= nil and os.time() - beat <= PATIENCE_S
end

local function given(text)
  return text ~= nil and text ~= ""
end

local function in_scope(names)
  if next(PARTITIONS) == nil then return true end
  if not given(names) then return PARTITIONS["*"] == true end
  for name in string.gmatch(names, "[^,]+") do
    if not PARTITIONS[name] then return false end
  end
  return true
end

-- What names its own hosts or asks for licences is left to Slurm.
local function can_be_placed(job)
  return not (given(job.req_nodes) or given(job.exc_nodes) or given(job.licenses) or given(job.burst_buffer))
end

function slurm_job_submit(job, partitions, uid)
  if alive() and in_scope(job.partition) and can_be_placed(job) then
    job.admin_comment = job.priority == 0 and USERS or OURS
    job.priority = 0
  end
  return slurm.SUCCESS
end

-- Users may hold and release their jobs as ever; what loadmaster holds is not released by them while it is alive.
function slurm_job_modify(job, record, partitions, uid)
  local mark = record.admin_comment
  if uid == 0 or uid == OPERATOR or (mark ~= OURS and mark ~= USERS) or not alive() then
    return slurm.SUCCESS
  end
  if given(job.req_nodes) then
    slurm.log_user("loadmaster chooses the hosts of this job; submit it again to name its hosts yourself")
    return slurm.ERROR
  end
  if job.priority == 0 then
    job.admin_comment = USERS
  elseif job.priority ~= nil and job.priority ~= UNCHANGED and record.priority == 0 then
    job.priority = 0
    job.admin_comment = OURS
  end
  return slurm.SUCCESS
end

return slurm.SUCCESS
